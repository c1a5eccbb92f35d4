/** The pods of a random world that have no node, or one that goes: which are there, and which the scheduler has found a place for. */
import { objectFromKube } from '../../../shared/wire/kube/object.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import type { CaseCluster, CasePod } from './caseCluster.ts'
import { podObject } from './manifests.ts'

/** The pods that need a place, in the order their users made them. */
export interface HomelessPods {
  homeless(): readonly string[]
  /** Those the API server has not seen yet. */
  coming(): readonly PodManifest[]
  /** What was there before comes anew: the scheduler looks at it once more. Those of all pods that have a node that stays. */
  bring(keys: readonly string[], nodeOf?: ReadonlyMap<string, string>): Promise<ReadonlySet<string>>
  /** All pods of no DaemonSet, as the scheduler last left them. */
  judged(): readonly CasePod[]
  /** The pods of these nodes have to come again. */
  lost(nodes: readonly string[]): void
}

export function createHomelessPods(
  cluster: CaseCluster,
  { waiting, bound: ofNodes }: RandomWorld,
  deleting: readonly string[],
): HomelessPods {
  const moving = ofNodes.filter((pod) => isOn(pod, deleting))
  const homeless = new Map([...waiting, ...moving].map((pod) => [keyOf(pod), pod]))
  const nodes = new Map<string, string>(moving.map((pod) => [keyOf(pod), String(pod.spec['nodeName'])]))
  const created = new Set<string>(moving.map(keyOf))
  let judged: readonly CasePod[] = []
  return {
    judged: () => judged,
    homeless: () => [...homeless.keys()],
    coming: () => [...homeless.values()].filter((pod) => !created.has(keyOf(pod))),
    async bring(keys, nodeOf = new Map()) {
      await cluster.removePods(keys.filter((key) => created.has(key)))
      await cluster.createPods(keys.flatMap((key) => homeless.get(key) ?? []).map(asWaiting), nodeOf)
      for (const key of keys) created.add(key)
      judged = await cluster.judged()
      for (const pod of judged) if (pod.spec.nodeName !== undefined) nodes.set(keyOf(pod), pod.spec.nodeName)
      const bound = new Set([...nodes].filter(([, node]) => !deleting.includes(node)).map(([key]) => key))
      for (const key of bound) homeless.delete(key)
      return bound
    },
    lost(gone) {
      for (const [key, node] of nodes) {
        if (!gone.includes(node)) continue
        nodes.delete(key)
        created.delete(key)
      }
    },
  }
}

function isOn({ spec }: PodManifest, nodes: readonly string[]): boolean {
  return nodes.includes(String(spec['nodeName']))
}

/** As the shim sends a pod that the scheduler has refused. */
export function readWaiting(manifest: PodManifest) {
  const { metadata, spec } = asWaiting(manifest)
  const at = manifest.metadata['creationTimestamp']
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: at }]
  const head = { ...metadata, uid: keyOf(manifest), creationTimestamp: at }
  const read = objectFromKube('pod', { metadata: head, spec, status: { phase: 'Pending', conditions } })
  if (!read.ok) throw new Error(`${keyOf(manifest)}: ${read.error.message}`)
  return read.value
}

/** As its controller makes it anew. */
export function asWaiting(manifest: PodManifest): PodManifest {
  const { metadata, spec } = podObject(manifest)
  const { nodeName: _, ...free } = spec
  return { metadata, spec: free }
}

export function keyOf({ metadata }: { readonly metadata: { readonly name: string; readonly namespace: string } }): string {
  return `${metadata.namespace}/${metadata.name}`
}
