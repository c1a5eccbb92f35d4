import { byText, inOrder, type Order } from '../../../base/order.ts'
import type { Pod } from '../../../model/pod.ts'
import { amountOf } from '../../../model/resources.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isHeldForGood } from '../../pod/heldForGood.ts'
import { isDaemonPod, isDoNotDisrupt, isEvictable, isMirrorPod, isReschedulable, isTerminal } from '../../pod/podPredicates.ts'

/**
 * Pods that need a place: those the scheduler found none for, those of the same owner that it has not come to yet, and those of machines
 * that are going. Largest first.
 */
export function podsToPlace(
  pods: readonly Pod[],
  machines: readonly StateNode[],
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[] = [],
): readonly Pod[] {
  const moving = machines.filter((machine) => machine.isGoing).flatMap((machine) => machine.pods)
  const given = refusedOwners(pods)
  return [...pods.filter((pod) => isFree(pod) && wasRefused(pod, given)), ...moving.filter((pod) => willMove(pod, now, budgets))].sort(
    byQueueOrder,
  )
}

/** What nothing can evict stays until the machine is gone. */
function willMove(pod: Pod, now: EpochMs, budgets: readonly PodDisruptionBudget[]): boolean {
  if (!isReschedulable(pod) || isDoNotDisrupt(pod, now)) return false
  return !isEvictable(pod, now) || !isHeldForGood(pod, budgets)
}

/** Without a place, and a new node could help. */
function isFree(pod: Pod): boolean {
  if (pod.nodeName !== undefined || pod.nominatedNodeName !== undefined) return false
  if (pod.deletedAt !== undefined || pod.schedulingGates.length > 0 || isTerminal(pod)) return false
  return !isDaemonPod(pod) && !isMirrorPod(pod)
}

/**
 * The scheduler gave up on it, or on a pod of the same owner. It refuses pods one after another, some ten to a hundred a second: of a
 * workload with a thousand replicas the last one hears of it long after the first, and all of them deserve one plan. A pod that would fit on
 * a node that is there is planned onto that node, so nothing is bought for one the scheduler would have placed.
 */
function wasRefused(pod: Pod, owners: ReadonlySet<string>): boolean {
  return pod.unschedulableSince !== undefined || (pod.owner !== undefined && owners.has(pod.owner.uid))
}

function refusedOwners(pods: readonly Pod[]): ReadonlySet<string> {
  const owners = new Set<string>()
  for (const pod of pods) if (pod.owner !== undefined && pod.unschedulableSince !== undefined && isFree(pod)) owners.add(pod.owner.uid)
  return owners
}

/** More CPU first, then more memory. */
export const bySize: Order<Pod> = inOrder<Pod>(
  (first, second) => amountOf(second.requests, 'cpu') - amountOf(first.requests, 'cpu'),
  (first, second) => amountOf(second.requests, 'memory') - amountOf(first.requests, 'memory'),
)

/** Of one size the older first, then by uid. */
const byQueueOrder: Order<Pod> = inOrder<Pod>(
  bySize,
  (first, second) => first.createdAt - second.createdAt,
  (first, second) => byText(first.uid, second.uid),
)
