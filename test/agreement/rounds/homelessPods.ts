/** The pods of a random world that have no node, or whose node is being deleted: which exist, and which the scheduler has bound. */
import { objectFromKube } from '../../../shared/wire/kube/object.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import type { CaseCluster, CasePod } from './caseCluster.ts'
import { podObject } from './manifests.ts'

/** The pods that need a node, in the order in which their users made them. */
export interface HomelessPods {
  homeless(): readonly string[]
  /** The pods that are not on the API server yet. */
  coming(): readonly PodManifest[]
  /** Creates the pods, or creates them anew: the scheduler then looks at them once more. Returns all pods that are bound to a node that stays. */
  bring(keys: readonly string[], nodeOf?: ReadonlyMap<string, string>): Promise<ReadonlySet<string>>
  /** All pods that no DaemonSet made, as of the last `bring`. */
  judged(): readonly CasePod[]
  /** Forgets the pods of these nodes, so that they are created again. */
  lost(nodes: readonly string[]): void
}

export function createHomelessPods(
  cluster: CaseCluster,
  { waiting, bound: ofNodes }: RandomWorld,
  deleting: readonly string[],
): HomelessPods {
  const moving = ofNodes.filter((pod) => isOn(pod, deleting))
  const homeless = new Map([...waiting, ...moving].map((pod) => [podKeyOf(pod), pod]))
  const nodes = new Map<string, string>(moving.map((pod) => [podKeyOf(pod), String(pod.spec['nodeName'])]))
  const created = new Set<string>(moving.map(podKeyOf))
  let judged: readonly CasePod[] = []
  return {
    judged: () => judged,
    homeless: () => [...homeless.keys()],
    coming: () => [...homeless.values()].filter((pod) => !created.has(podKeyOf(pod))),
    async bring(keys, nodeOf = new Map()) {
      await cluster.removePods(keys.filter((key) => created.has(key)))
      await cluster.createPods(keys.flatMap((key) => homeless.get(key) ?? []).map(asWaiting), nodeOf)
      for (const key of keys) created.add(key)
      judged = await cluster.judged()
      for (const pod of judged) if (pod.spec.nodeName !== undefined) nodes.set(podKeyOf(pod), pod.spec.nodeName)
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

/** The pod as the shim sends it after the scheduler refused it. */
export function readWaiting(manifest: PodManifest) {
  const { metadata, spec } = asWaiting(manifest)
  const at = manifest.metadata['creationTimestamp']
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: at }]
  const head = { ...metadata, uid: podKeyOf(manifest), creationTimestamp: at }
  const read = objectFromKube('pod', { metadata: head, spec, status: { phase: 'Pending', conditions } })
  if (!read.ok) throw new Error(`${podKeyOf(manifest)}: ${read.error.message}`)
  return read.value
}

/** The pod as its controller creates it anew, without a node. */
export function asWaiting(manifest: PodManifest): PodManifest {
  const { metadata, spec } = podObject(manifest)
  const { nodeName: _, ...free } = spec
  return { metadata, spec: free }
}

export function podKeyOf({ metadata }: { readonly metadata: { readonly name: string; readonly namespace: string } }): string {
  return `${metadata.namespace}/${metadata.name}`
}
