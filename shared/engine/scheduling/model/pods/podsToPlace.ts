import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../../model/workloads.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { isHeldForGood } from '../../../pod/eviction.ts'
import { isDaemonPod, isDoNotDisrupt, isEvictable, isMirrorPod, isReschedulable, isTerminal } from '../../../pod/podPredicates.ts'

/** Pods of deleting machines that need a place elsewhere. */
export function movingPods(deleting: Iterable<StateNode>, now: EpochMs, budgets: readonly PodDisruptionBudget[] = []): readonly Pod[] {
  return [...deleting].flatMap(({ pods }) => pods.filter((pod) => willMove(pod, now, budgets)))
}

/** Reports whether the pod moves. A pod that nothing can evict stays until the machine is gone. */
function willMove(pod: Pod, now: EpochMs, budgets: readonly PodDisruptionBudget[]): boolean {
  if (!isReschedulable(pod) || isDoNotDisrupt(pod, now)) return false
  return !isEvictable(pod, now) || !isHeldForGood(pod, budgets)
}

/** Reports whether the pod has no place and a new node could help. */
export function isFree(pod: Pod): boolean {
  if (pod.nodeName !== undefined || pod.nominatedNodeName !== undefined) return false
  if (pod.deletedAt !== undefined || pod.schedulingGates.length > 0 || isTerminal(pod)) return false
  return !isDaemonPod(pod) && !isMirrorPod(pod)
}
