import { byText } from '../../../base/order.ts'
import type { Pod } from '../../../model/pod.ts'
import { amountOf } from '../../../model/resources.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isHeldForGood } from '../../pod/heldForGood.ts'
import { isDaemonPod, isDoNotDisrupt, isEvictable, isMirrorPod, isReschedulable, isTerminal } from '../../pod/podPredicates.ts'

/** Pods that need a place: those that wait for one, which come in the order of the queue, and those of machines that are going. Largest first. */
export function podsToPlace(
  waiting: readonly Pod[],
  going: Iterable<StateNode>,
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[] = [],
): readonly Pod[] {
  const moving = [...going].flatMap(({ pods }) => pods.filter((pod) => willMove(pod, now, budgets)))
  return moving.length === 0 ? waiting : [...waiting, ...moving].sort(byQueueOrder)
}

/** What nothing can evict stays until the machine is gone. */
function willMove(pod: Pod, now: EpochMs, budgets: readonly PodDisruptionBudget[]): boolean {
  if (!isReschedulable(pod) || isDoNotDisrupt(pod, now)) return false
  return !isEvictable(pod, now) || !isHeldForGood(pod, budgets)
}

/** Without a place, and a new node could help. */
export function isFree(pod: Pod): boolean {
  if (pod.nodeName !== undefined || pod.nominatedNodeName !== undefined) return false
  if (pod.deletedAt !== undefined || pod.schedulingGates.length > 0 || isTerminal(pod)) return false
  return !isDaemonPod(pod) && !isMirrorPod(pod)
}

/** More CPU first, then more memory. */
export function bySize({ requests: first }: Pick<Pod, 'requests'>, { requests: second }: Pick<Pod, 'requests'>): number {
  return amountOf(second, 'cpu') - amountOf(first, 'cpu') || amountOf(second, 'memory') - amountOf(first, 'memory')
}

/** Of one size the older first, then by uid. */
export function byQueueOrder(first: Pod, second: Pod): number {
  return bySize(first, second) || first.createdAt - second.createdAt || byText(first.uid, second.uid)
}
