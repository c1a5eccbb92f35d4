/**
 * The limits of NodePools can leave too few machines for all pods. Pods of a higher priority then get theirs first. First fit and the packed plan take
 * pods by size, and Karpenter knows no other order.
 */
import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import { isBin } from '../model/nodes/bin.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { isSpent } from '../model/quantities/work.ts'
import type { Replanning } from './giveWay.ts'
import { refusedOf } from './refusedPods.ts'

/**
 * Makes the plan once more, by priority down to the least important pod that was refused while a less important pod got a new machine. If that leaves
 * another such pod, all pods go by priority. A new plan is kept unless it has fewer important pods.
 */
export function letImportantFirst(plan: Plan, queue: readonly QueueEntry[], replanning: Replanning): void {
  if (plan.poolOptions.every(({ limits }) => limits.left === undefined)) return
  const least = leastOutranked(plan)
  if (least === undefined || !isMadeAnew(plan, queue, replanning, least) || leastOutranked(plan) === undefined) return
  isMadeAnew(plan, queue, replanning, Number.NEGATIVE_INFINITY)
}

/** Makes the plan by priority down to `least`. Returns false if the plan before was better, and is kept. */
function isMadeAnew(plan: Plan, queue: readonly QueueEntry[], { restore, rest, save }: Replanning, least: number): boolean {
  if (isSpent(plan)) return false
  const before = refusedOf(plan)
  const keep = save()
  const first = queue.filter(({ podClass }) => podClass.pod.priority >= least).sort(byPriority)
  const isBetter = rest.some((placeRest) => {
    restore()
    placeInOrder(plan, first)
    return placeRest() && !isSpent(plan) && isWorthMore(refusedOf(plan), before)
  })
  if (!isBetter) keep()
  return isBetter
}

/** The least priority of a refused pod that is above that of a pod on a new machine. Undefined if there is none. */
function leastOutranked(plan: Plan): number | undefined {
  let lowest = Number.POSITIVE_INFINITY
  for (const { host, podClass } of plan.log) if (isBin(host)) lowest = Math.min(lowest, podClass.pod.priority)
  let least: number | undefined
  for (const { pod } of refusedOf(plan).keys())
    if (pod.priority > lowest && (least === undefined || pod.priority < least)) least = pod.priority
  return least
}

function byPriority(one: QueueEntry, other: QueueEntry): number {
  return other.podClass.pod.priority - one.podClass.pod.priority
}

/** Compares the numbers of refused pods at the highest priority where they differ. Equal numbers count as better: the new plan is by priority. */
function isWorthMore(after: ReadonlyMap<PodClass, number>, before: ReadonlyMap<PodClass, number>): boolean {
  const more = new Map<number, number>()
  const count = (refused: ReadonlyMap<PodClass, number>, sign: number): void => {
    for (const [{ pod }, pods] of refused) more.set(pod.priority, (more.get(pod.priority) ?? 0) + sign * pods)
  }
  count(after, 1)
  count(before, -1)
  const [highest] = [...more].filter(([, pods]) => pods !== 0).sort(([one], [other]) => other - one)
  return highest === undefined || highest[1] < 0
}
