import type { NodeName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'

/** Pods that use a node, whether or not the node exists. */
export interface PodsByNode {
  /** Returns a list that is changed in place while pods come and go. */
  on(node: NodeName): readonly Pod[]
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
}

export function createPodsByNode(): PodsByNode {
  const pods = new Map<NodeName, Pod[]>()
  return {
    on: (node) => pods.get(node) ?? NONE,
    add(pod, node) {
      const present = pods.get(node)
      if (present === undefined) pods.set(node, [pod])
      else present.push(pod)
    },
    remove(pod, node) {
      const present = pods.get(node)
      const at = present?.indexOf(pod) ?? -1
      if (present === undefined || at < 0) return
      if (present.length === 1) pods.delete(node)
      else present.splice(at, 1)
    },
  }
}

const NONE: readonly Pod[] = []
