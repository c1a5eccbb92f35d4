import type { Pod } from '../client/objects.ts'
import { isReady, readySince } from '../podState.ts'

/** Returns the pods in the order in which a ReplicaSet deletes them. Pods that do the least work come first. */
export function inDeletionOrder(pods: readonly Pod[]): readonly Pod[] {
  const perNode = new Map<string, number>()
  for (const { spec } of pods) perNode.set(spec.nodeName ?? '', (perNode.get(spec.nodeName ?? '') ?? 0) + 1)
  const keys = new Map(pods.map((pod) => [pod, rank(pod, perNode.get(pod.spec.nodeName ?? '') ?? 0)]))
  return [...pods].sort((first, second) => compareRanks(keys.get(first) ?? [], keys.get(second) ?? []))
}

const PHASES: readonly (string | undefined)[] = ['Pending', 'Unknown', 'Running']

/** Pods with a smaller rank are deleted first. Ranks are compared member by member. */
function rank(pod: Pod, onSameNode: number): readonly (number | string)[] {
  const restarts = Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount))
  const since = readySince(pod)
  return [
    pod.spec.nodeName ? 1 : 0,
    PHASES.indexOf(pod.status?.phase),
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0,
    -onSameNode,
    Number.isFinite(since) ? -since : 0,
    -restarts,
    -Date.parse(pod.metadata.creationTimestamp),
    pod.metadata.name,
  ]
}

function compareRanks(first: readonly (number | string)[], second: readonly (number | string)[]): number {
  for (const [index, value] of first.entries()) {
    const other = second[index]
    if (other === undefined || value === other) continue
    return value < other ? -1 : 1
  }
  return 0
}
