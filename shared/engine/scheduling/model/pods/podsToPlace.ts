import { budgetsOf } from '../../../../model/budgets.ts'
import { ANNOTATION } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../../model/workloads.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { isHeldForGood } from '../../../pod/eviction.ts'
import { isDaemonPod, isDoNotDisrupt, isEvictable, isMirrorPod, isReschedulable, isTerminal } from '../../../pod/podPredicates.ts'

/** Pods of deleting machines that need a place elsewhere. */
export function movingPods(
  deleting: Iterable<Pick<StateNode, 'pods'>>,
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[] = [],
): readonly Pod[] {
  return [...deleting].flatMap(({ pods }) => pods.filter((pod) => willMove(pod, now, budgets)))
}

/** The same pods if nothing held `pod`: no annotation, and none of its PodDisruptionBudgets, which then hold no other pod either. */
export function movingOnceLetGo(
  pod: Pod,
  deleting: readonly StateNode[],
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[],
): readonly Pod[] {
  const { [ANNOTATION.doNotDisrupt]: _, ...annotations } = pod.annotations
  const holding = new Set(budgetsOf(pod, budgets))
  const machines = deleting.map(({ pods }) => ({ pods: pods.map((each) => (each.key === pod.key ? { ...pod, annotations } : each)) }))
  return movingPods(
    machines,
    now,
    budgets.filter((budget) => !holding.has(budget)),
  )
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
