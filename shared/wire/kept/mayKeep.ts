import type { ObjectKind } from '../../model/clusterObjects.ts'
import { OBJECT_KINDS } from '../../model/clusterObjects.ts'
import type { Kept } from './kept.ts'
import { isRules } from './prune.ts'
import type { KindLists } from './told.ts'

/** Reports whether a list keeps the member at a path of some object, whatever its tests say. */
export function mayKeep(kept: Kept, path: readonly string[]): boolean {
  if (kept === true) return true
  if (isRules(kept)) return kept.some(({ keep }) => mayKeep(keep, path))
  const [name, ...rest] = path
  if (name === undefined) return true
  const members = Object.entries(kept)
  const named = members.filter(([each]) => each === name)
  const inner = named.length > 0 ? named : members.filter(([each]) => each.endsWith('*') && name.startsWith(each.slice(0, -1)))
  return inner.some(([, each]) => mayKeep(each, rest))
}

/** Where kinds have the spec of a pod. */
const POD_SPECS: { readonly [Kind in ObjectKind]?: readonly string[] } = {
  pod: ['spec'],
  podTemplate: ['template', 'spec'],
  daemonSet: ['spec', 'template', 'spec'],
  deployment: ['spec', 'template', 'spec'],
  statefulSet: ['spec', 'template', 'spec'],
  replicaSet: ['spec', 'template', 'spec'],
  replicationController: ['spec', 'template', 'spec'],
}

/** Members of containers that may hold secrets. Probes and hooks have commands and headers. */
const SECRETS = ['env', 'envFrom', 'command', 'args', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']
const OF_CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => SECRETS.map((member) => [list, member]))

const APPLIED = ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration']

/** Returns the paths that must never leave the cluster, whoever asks for them, and that the lists would keep. */
export function secretPathsIn(kinds: KindLists): readonly string[] {
  return OBJECT_KINDS.flatMap((kind) => {
    const base = POD_SPECS[kind]
    const paths = [APPLIED, ...(base === undefined ? [] : OF_CONTAINERS.map((path) => [...base, ...path]))]
    return paths.filter((path) => mayKeep(kinds[kind] ?? [], path)).map((path) => `${kind} ${path.join('.')}`)
  })
}
