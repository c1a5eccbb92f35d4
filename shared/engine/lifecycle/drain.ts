import { leastOf } from '../../base/lists.ts'
import { byKey } from '../../base/order.ts'
import type { ClaimAction, ClaimObservation } from '../../model/claimStep.ts'
import type { Pod } from '../../model/pod.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { doNotDisruptUntil, isActive, isCritical, isDaemonPod, isEvictable, isWaitingForEviction } from '../pod/podPredicates.ts'

/** The pods that the drain waits for, by name. */
export function waitingPods({ pods, now }: Pick<ClaimObservation, 'pods' | 'now'>): readonly Pod[] {
  return pods.filter((pod) => isWaitingForEviction(pod, now)).sort(byKey((pod) => pod.key))
}

/**
 * Evicts the first tier that still has pods, so that daemons outlive what they serve. Pods that would outlast the
 * deadline are deleted at once, whatever protects them.
 */
export function drainPods(
  { now }: Pick<ClaimObservation, 'now'>,
  waiting: readonly Pod[],
  deadline: EpochMs | undefined,
): readonly ClaimAction[] {
  const overdue = waiting.filter((pod) => isOverdue(pod, now, deadline))
  const others = waiting.filter((pod) => !overdue.includes(pod))
  const tier = leastOf(others.map(tierOf))
  return [
    ...overdue.map((pod): ClaimAction => ({ kind: 'deletePod', pod, gracePeriodSeconds: secondsLeft(now, deadline ?? now) })),
    ...others.filter((pod) => tierOf(pod) === tier && isEvictable(pod, now)).map((pod): ClaimAction => ({ kind: 'evictPod', pod })),
  ]
}

/**
 * The next time at which time alone lets a pod that waits now be asked to leave: the deadline requires its deletion, or its annotation ceases to
 * protect it. Undefined if there is none.
 */
export function nextDue(
  { now }: Pick<ClaimObservation, 'now'>,
  waiting: readonly Pod[],
  deadline: EpochMs | undefined,
): EpochMs | undefined {
  const ends = waiting.map(doNotDisruptUntil).filter((end) => end !== undefined && end !== 'unknown')
  const deletions = waiting.flatMap(({ terminationGracePeriodSeconds: seconds }) =>
    seconds === undefined || deadline === undefined ? [] : [deadline - seconds * 1000 + 1],
  )
  const next = leastOf([...ends, ...deletions].filter((at) => at > now))
  return Number.isFinite(next) ? epochMs(next) : undefined
}

/** The tier of a pod, the lowest evicted first: daemons come after other pods, critical pods after all others. */
function tierOf(pod: Pod): number {
  return (isCritical(pod) ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0)
}

/** Reports whether the pod would still be there at the deadline. A pod without a grace period is left to its eviction. */
function isOverdue(pod: Pod, now: EpochMs, deadline: EpochMs | undefined): boolean {
  if (deadline === undefined) return false
  if (pod.deletedAt !== undefined) return pod.deletedAt > deadline
  const seconds = pod.terminationGracePeriodSeconds
  return isActive(pod) && seconds !== undefined && now > deadline - seconds * 1000
}

function secondsLeft(now: EpochMs, deadline: EpochMs): number {
  return Math.max(1, Math.floor((deadline - now) / 1000))
}
