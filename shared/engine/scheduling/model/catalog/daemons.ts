/** What DaemonSets take of a machine before any other pod does. */

import { byKey } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import { namespaceOf, type ObjectKey, objectKey, type Uid } from '../../../../model/ids.ts'
import { type Labels, UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import type { HostPort, Pod } from '../../../../model/pod.ts'
import { conflicts, overlapConflicts } from '../../../../model/requirementConflict.ts'
import type { Requirements } from '../../../../model/requirements.ts'
import { NO_RESOURCES, type Resources, sum } from '../../../../model/resources.ts'
import { type Taint, type Toleration, untolerated } from '../../../../model/taint.ts'
import type { DaemonSet } from '../../../../model/workloads.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { isDaemonPod } from '../../../pod/podPredicates.ts'
import { requiredTermsOf } from '../pods/relaxation.ts'
import { type Bits, both } from '../quantities/amounts.ts'
import { labelsMeet } from '../quantities/byLabel.ts'
import type { Catalog } from './catalog.ts'

/** A DaemonSet with the requests of its pods. Its newest live pod is asked for them, since admission may have changed them. */
export type Daemon = {
  readonly key: ObjectKey
  /** The anti-affinity terms of its pods, and the namespace and labels by which terms of other pods select them. */
  readonly pod: Pick<Pod, 'key' | 'labels' | 'podAntiAffinity'>
  readonly requests: Resources
  readonly hostPorts: readonly HostPort[]
  readonly tolerations: readonly Toleration[]
  readonly alternatives: readonly Requirements[]
}

export function daemonsOf(daemonSets: readonly DaemonSet[], newestOf: (owner: Uid) => Pod | undefined): readonly Daemon[] {
  // Real pods are pinned to a node by name; only the template says where the set may run.
  return [...daemonSets]
    .sort(byKey((each) => each.key))
    .filter((set) => set.pod.resourceClaims.length === 0)
    .map((set) => ({ set, newest: newestOf(set.uid) ?? set.pod }))
    .map(({ set, newest }) => ({
      key: set.key,
      pod: set.pod,
      requests: newest.requests,
      hostPorts: newest.hostPorts,
      tolerations: set.pod.tolerations,
      alternatives: requiredTermsOf(set.pod),
    }))
}

/** The daemons that will run on new machines of a pool, with the types they run on. Soft taints keep no daemon off a node. */
export function daemonsOn(
  daemons: readonly Daemon[],
  requirements: Requirements,
  taints: readonly Taint[],
  catalog: Catalog,
): readonly { readonly daemon: Daemon; readonly types: Bits }[] {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  return daemons
    .filter((daemon) => untolerated(hard, daemon.tolerations).length === 0)
    .flatMap((daemon) =>
      daemon.alternatives
        .filter((wanted) => conflicts(requirements, wanted, UNDEFINED_ALLOWED_LABELS).length === 0)
        .map((wanted) => ({ daemon, types: typesFor(catalog, wanted) })),
    )
    .reduce<{ daemon: Daemon; types: Bits }[]>((merged, { daemon, types }) => {
      const same = merged.find((each) => each.daemon === daemon)
      if (same === undefined) merged.push({ daemon, types })
      else same.types = same.types.map((word, index) => word | (types[index] ?? 0))
      return merged
    }, [])
}

/** The daemons that will run on a claim that is not launched yet, if the claim becomes this size. */
export function daemonsOfSize(
  daemons: readonly Daemon[],
  requirements: Requirements,
  taints: readonly Taint[],
  size: Requirements,
): readonly Daemon[] {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  return daemons.filter(
    (daemon) =>
      untolerated(hard, daemon.tolerations).length === 0 &&
      daemon.alternatives.some(
        (wanted) => conflicts(requirements, wanted, UNDEFINED_ALLOWED_LABELS).length === 0 && overlapConflicts(size, wanted).length === 0,
      ),
  )
}

function typesFor(catalog: Catalog, wanted: Requirements): Bits {
  let types: Bits = new Uint32Array((catalog.types.length + 31) >>> 5).fill(0xffffffff)
  for (const requirement of wanted.values()) types = both(types, catalog.typesFor(requirement))
  return types
}

/** The daemons that run on a machine with these labels and taints. */
export function daemonsOfMachine(daemons: readonly Daemon[], labels: Labels, taints: readonly Taint[]): readonly Daemon[] {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  return daemons.filter(
    (daemon) => untolerated(hard, daemon.tolerations).length === 0 && daemon.alternatives.some((wanted) => labelsMeet(labels, wanted)),
  )
}

/** The daemons that have no pod on the machine yet. */
export function daemonsToCome(landing: readonly Daemon[], { pods }: Pick<StateNode, 'pods'>): readonly Daemon[] {
  if (landing.length === 0) return landing
  const present = new Set(pods.filter(isDaemonPod).map((pod) => objectKey(namespaceOf(pod), pod.owner?.name ?? '')))
  return landing.filter(({ key }) => !present.has(key))
}

/** The resources that the daemons of a machine will still take of it. No amount is below zero. */
export function missingOverhead(landing: readonly Daemon[], { pods }: Pick<StateNode, 'pods'>): Resources {
  if (landing.length === 0) return NO_RESOURCES
  const present = sum(pods.filter(isDaemonPod).map((pod) => pod.requests))
  const expected = sum(landing.map((daemon) => daemon.requests))
  return Object.fromEntries(Object.entries(expected).map(([name, amount]) => [name, Math.max(0, amount - (ownValue(present, name) ?? 0))]))
}
