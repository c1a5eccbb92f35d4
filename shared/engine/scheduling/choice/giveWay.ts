/**
 * Pods that could go elsewhere may have taken the last place of pods that can go nowhere else: in a pool whose limit is used up, or on a machine.
 * Pods that must be near others may have no place left where these went. The plan is made once more with the refused pods first, together with the
 * pods that they must share a machine with.
 */

import { largestOf, leastOf } from '../../../base/lists.ts'
import { placeInOrder, placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import { type NodePoolOption, type Plan, withPoolOptions } from '../candidates/plan.ts'
import { withConstraint } from '../model/catalog/narrowedTemplate.ts'
import { isBin } from '../model/nodes/bin.ts'
import type { PodClass, QueueEntry } from '../model/pods/constraint.ts'
import { MOST_GIVE_WAY_ROUNDS, MOST_REFUSED } from '../model/quantities/tuning.ts'
import { isSpent } from '../model/quantities/work.ts'
import { placeColocated } from './colocation.ts'

/** How a plan is undone, made in another way, and saved. */
type Replanning = {
  /** Puts the plan back to its beginning. */
  readonly restore: () => void
  /** Ways to place the other pods after the first pods. A way returns false if the scheduler could not carry out the plan. */
  readonly rest: readonly (() => boolean)[]
  /** Saves the plan. The function that it returns puts the saved plan back. */
  readonly save: () => () => void
}

export function letRefusedFirst(plan: Plan, queue: readonly QueueEntry[], { restore, rest, save }: Replanning): void {
  let before = refusedOf(plan)
  let left = totalOf(plan.left)
  if (!isFew(before, plan)) return
  const order = askingOrderOf(plan, queue)
  let keep = save()
  const first = new Map<PodClass, number>()
  let refused = before
  for (let round = 0; round < MOST_GIVE_WAY_ROUNDS && isFew(refused, plan); round++) {
    if (round === MOST_GIVE_WAY_ROUNDS - 1) for (const { podClass } of queue) first.set(podClass, podClass.count)
    else for (const [podClass, count] of refused) first.set(podClass, (first.get(podClass) ?? 0) + count)
    const isBetter = rest.some((placeRest) => {
      restore()
      if (!placeFirst(plan, order, first, save)) return false
      placeOnExistingNodes(plan, queue)
      const isHeld = placeRest()
      refused = refusedOf(plan)
      // Pods that the budget did not reach are not refused, and have no place either.
      return isHeld && placesMore(refused, before) && totalOf(plan.left) < left
    })
    if (isBetter) {
      before = refused
      left = totalOf(plan.left)
      keep = save()
    }
  }
  keep()
}

function isFew(refused: ReadonlyMap<PodClass, number>, plan: Plan): boolean {
  return refused.size > 0 && totalOf(refused) <= MOST_REFUSED && !isSpent(plan)
}

/** The order of the classes, and the order in which pools are asked. */
type AskingOrder = { readonly poolOptions: readonly NodePoolOption[]; readonly classes: readonly PodClass[] }

/** Classes with the fewest usable pools come first. */
function askingOrderOf(plan: Plan, queue: readonly QueueEntry[]): AskingOrder {
  const choices = new Map(queue.map(({ podClass }) => [podClass, usablePoolOptions(podClass, plan)]))
  const byChoices = [...choices].sort(([, one], [, other]) => one.length - other.length)
  return { poolOptions: leastWanted(plan, choices), classes: byChoices.map(([podClass]) => podClass) }
}

/** Places these pods first. Returns false if none of them gets a place even so. */
function placeFirst(
  plan: Plan,
  { poolOptions, classes }: AskingOrder,
  first: ReadonlyMap<PodClass, number>,
  save: Replanning['save'],
): boolean {
  const { length } = plan.log
  placeColocated(plan, first.keys(), classes, save)
  placeInOrder(
    withPoolOptions(plan, poolOptions),
    classes.flatMap((podClass) => (first.has(podClass) ? [{ podClass, count: first.get(podClass) ?? 0 }] : [])),
  )
  return plan.log.length > length
}

/** The pools that meet the constraint of the class without its preferences. */
function usablePoolOptions({ relaxedPods }: PodClass, { poolOptionsFor }: Plan): readonly NodePoolOption[] {
  const needed = relaxedPods.at(-1)?.constraint
  return needed === undefined
    ? []
    : poolOptionsFor(needed).filter(({ narrowedTemplate }) => withConstraint(narrowedTemplate, needed) !== undefined)
}

/** The heaviest pools first. Of equal weight, pools without a limit come first, then the pools that the fewest pods could use. */
function leastWanted({ poolOptions }: Plan, choices: ReadonlyMap<PodClass, readonly NodePoolOption[]>): readonly NodePoolOption[] {
  const wanted = new Map<NodePoolOption, number>()
  for (const [{ count }, usable] of choices)
    for (const poolOption of usable) if (poolOption.limits.left !== undefined) wanted.set(poolOption, (wanted.get(poolOption) ?? 0) + count)
  const weightOf = ({ narrowedTemplate }: NodePoolOption): number => narrowedTemplate.template.weight
  return [...poolOptions].sort((one, other) => weightOf(other) - weightOf(one) || (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0))
}

/** Reports whether fewer pods have no place, and no pod that lost its place has a higher priority than a pod that gained one. */
function placesMore(after: ReadonlyMap<PodClass, number>, before: ReadonlyMap<PodClass, number>): boolean {
  if (totalOf(after) >= totalOf(before)) return false
  const lost = [...after].filter(([podClass, count]) => count > (before.get(podClass) ?? 0)).map(priorityOf)
  const gained = [...before].filter(([podClass, count]) => count > (after.get(podClass) ?? 0)).map(priorityOf)
  return largestOf(lost) <= leastOf(gained)
}

function priorityOf([{ pod }]: readonly [PodClass, number]): number {
  return pod.priority
}

function totalOf(counts: ReadonlyMap<PodClass, number>): number {
  let total = 0
  for (const count of counts.values()) total += count
  return total
}

/**
 * The limits of NodePools can leave too few machines for all pods. Pods of a higher priority then get theirs first. First fit and the packed plan
 * take pods by size, and Karpenter knows no other order. Makes the plan once more, by priority down to the least important pod that was refused while
 * a less important pod got a new machine. If that leaves another such pod, all pods go by priority. A new plan is kept unless it has fewer important
 * pods.
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

/** Pods without a place, except pods that wait for a later decision. */
function refusedOf({ left, postponed }: Plan): ReadonlyMap<PodClass, number> {
  return new Map([...left].filter(([podClass, count]) => count > 0 && !postponed.has(podClass)))
}
