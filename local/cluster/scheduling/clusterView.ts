import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import type { Node, Pod } from '../client/objects.ts'
import { type Amounts, add, parseAmounts, podRequests } from '../quantity.ts'

/** A node with the pods that are on it or being bound to it. */
export type NodeView = {
  readonly node: Node
  readonly allocatable: Amounts
  readonly pods: ReadonlyMap<string, Pod>
  readonly requested: Amounts
}

/** The cluster as a placement sees it. Nodes are ordered by name, so that the same cluster gives the same answer. */
export interface ClusterView {
  nodes(): readonly NodeView[]
  namespaceLabels(name: string): { readonly [key: string]: string }
}

/** The scheduler's own picture of the cluster, kept up to date from watches and from the bindings that the scheduler has sent. */
export interface ClusterModel extends ClusterView {
  putNode(node: Node): void
  dropNode(name: string): void
  /** Puts the pod on `nodeName` and takes it from the node where it was. */
  putPod(pod: Pod, nodeName: string): void
  dropPod(uid: string): void
  nodeOf(uid: string): string | undefined
}

type Entry = { node: Node | undefined; allocatable: Amounts; readonly pods: Map<string, Pod>; requested: Amounts }

export function createClusterModel(namespaceLabels: ClusterView['namespaceLabels']): ClusterModel {
  const entries = new Map<string, Entry>()
  const places = new Map<string, string>()
  let sorted: readonly NodeView[] | undefined
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name) ?? { node: undefined, allocatable: {}, pods: new Map<string, Pod>(), requested: {} }
    entries.set(name, entry)
    return entry
  }
  const dropPod = (uid: string) => {
    const name = places.get(uid)
    const entry = name === undefined ? undefined : entries.get(name)
    const pod = entry?.pods.get(uid)
    if (name === undefined || entry === undefined || pod === undefined) return
    places.delete(uid)
    entry.pods.delete(uid)
    entry.requested = minus(entry.requested, podRequests(pod.spec))
    if (entry.node === undefined && entry.pods.size === 0) entries.delete(name)
  }
  return {
    putNode: (node) => {
      const entry = entryOf(node.metadata.name)
      entry.node = node
      entry.allocatable = parseAmounts(node.status?.allocatable)
      sorted = undefined
    },
    dropNode: (name) => {
      const entry = entries.get(name)
      if (entry === undefined) return
      entry.node = undefined
      if (entry.pods.size === 0) entries.delete(name)
      sorted = undefined
    },
    putPod: (pod, nodeName) => {
      const { uid } = pod.metadata
      dropPod(uid)
      const entry = entryOf(nodeName)
      entry.pods.set(uid, pod)
      entry.requested = add(entry.requested, podRequests(pod.spec))
      places.set(uid, nodeName)
    },
    dropPod,
    nodeOf: (uid) => places.get(uid),
    nodes: () => {
      sorted ??= [...entries.values()]
        .filter(hasNode)
        .sort((first, second) => (first.node.metadata.name < second.node.metadata.name ? -1 : 1))
      return sorted
    },
    namespaceLabels,
  }
}

function hasNode(entry: Entry): entry is Entry & { node: Node } {
  return entry.node !== undefined
}

function minus(first: Amounts, second: Amounts): Amounts {
  const rest: Record<string, number> = { ...first }
  for (const [resource, amount] of Object.entries(second)) setOwnValue(rest, resource, (ownValue(rest, resource) ?? 0) - amount)
  return rest
}
