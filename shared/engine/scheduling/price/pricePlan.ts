/** The cheapest of several plans. Which pods can be placed follows the rules; where they go is a question of money. */
import { replaceAll } from '../../../base/lists.ts'
import { placeInOrder, placeOnTargets, type QueueEntry } from '../firstFit/firstFit.ts'
import { couldOpen } from '../firstFit/open.ts'
import type { Plan, Start } from '../plan.ts'
import type { PodClass } from '../pods/podClass.ts'
import { withStarts } from '../startsFor.ts'
import type { Group } from '../topology/group.ts'
import { assignDomains, type Takers, takersAmong } from './assignDomains.ts'
import { comesAbout, MOST_FOLLOWED } from './comesAbout.ts'
import { costOf, isBetter, leastCost, type PlanCost } from './cost.ts'
import { letRefusedFirst } from './giveWay.ts'
import { pack } from './pack.ts'
import { countsOf, type Restore, restorePoint } from './restorePoint.ts'
import { settleLate } from './settleLate.ts'
import { keepsSkew } from './skew.ts'
import { fillForStuck } from './stuckFirst.ts'

/**
 * Compares Karpenter's order of first fit with machines packed for their price, and keeps the cheapest plan. What is there is filled first
 * either way, since it costs nothing.
 */
export function placeByPrice(plan: Plan, queue: readonly QueueEntry[], groups: readonly Group[]): void {
  const pods = [...plan.left.values()].reduce((sum, count) => sum + count, 0)
  const restore = restorePoint(plan, groups)
  const toBase = countsOf(groups)
  placeOnTargets(plan, queue)
  if (isDone(plan)) return
  const least = plan.targets.length === 0 ? leastCost(plan.starts, plan.axes, [...plan.left].map(asWaiting)) : 0
  const isHeld = (isAsAssigned: boolean): boolean => {
    if (isAsAssigned && !isBothWays(groups)) return true
    return pods <= MOST_FOLLOWED ? comesAbout(plan, toBase) : isAsAssigned || keepsSkew(plan)
  }
  const found = isHeld(placePacked(plan, queue, groups)) ? [candidateOf(plan, groups)] : []
  if (mostOf(found) <= least) return
  restore()
  if (placeInOrder(plan, queue, mostOf(found))) found.push(candidateOf(plan, groups))
  if (groups.length > 0 && pods <= MOST_FOLLOWED) {
    restore()
    const isWhole = placeInOrder({ ...plan, commitment: 'late' }, queue, mostOf(found))
    if (isWhole && settleLate(plan, toBase)) found.push(candidateOf(plan, groups))
  }
  found.reduce((best, each) => (isBetter(each.cost, best.cost) ? each : best)).keep()
  if (plan.targets.length > 0) beginOtherwise(plan, queue, groups, restore, isHeld)
  const rest = [() => isHeld(placePacked(plan, queue, groups)), () => placeInOrder(plan, queue)]
  if (pods <= MOST_FOLLOWED) letRefusedFirst(plan, queue, { restore, rest, save: () => savePlan(plan, groups) })
}

/** What is there can be filled in another order, or after domains are chosen, when pods are left over. */
function beginOtherwise(
  plan: Plan,
  queue: readonly QueueEntry[],
  groups: readonly Group[],
  restore: Restore,
  isHeld: (isAsAssigned: boolean) => boolean,
): void {
  if (!isDone(plan)) placeStuckFirst(plan, queue, groups, restore, isHeld)
  if (isSpreadStuck(plan)) placeAnew(plan, queue, groups, restore, isHeld)
}

function asWaiting([podClass, count]: readonly [PodClass, number]) {
  return { podClass, count }
}

/** Spread both over machines and over wider domains: an order that suits the one may not suit the other. */
function isBothWays(groups: readonly Group[]): boolean {
  const spread = groups.filter(({ kind }) => kind === 'spread')
  return spread.some(({ isHost }) => isHost) && spread.some(({ isHost }) => !isHost)
}

/** Those who can only go where others are now come before them, unless somebody loses a place for it. */
function placeStuckFirst(
  plan: Plan,
  queue: readonly QueueEntry[],
  groups: readonly Group[],
  restore: Restore,
  isHeld: (isAsAssigned: boolean) => boolean,
): void {
  const left = new Map(plan.left)
  const isKept = ([podClass, count]: readonly [PodClass, number]): boolean => count <= (left.get(podClass) ?? 0)
  const isFilled = (): boolean => fillForStuck(plan, queue, restore) && isHeld(placePacked(plan, queue, groups))
  keepIfBetter(plan, groups, () => isFilled() && [...plan.left].every(isKept))
}

/** Filling what is there can leave rules about domains no way out: then domains are chosen first, as if nothing were there. */
function placeAnew(
  plan: Plan,
  queue: readonly QueueEntry[],
  groups: readonly Group[],
  restore: Restore,
  isHeld: (isAsAssigned: boolean) => boolean,
): void {
  keepIfBetter(plan, groups, () => {
    restore()
    return isHeld(placePacked(plan, queue, groups))
  })
}

/** Makes the plan another way, and puts it back unless that way holds and is better. */
function keepIfBetter(plan: Plan, groups: readonly Group[], makeAnew: () => boolean): void {
  const before = candidateOf(plan, groups)
  if (!makeAnew() || !isBetter(costOf(plan), before.cost)) before.keep()
}

function isSpreadStuck({ left }: Plan): boolean {
  for (const [{ variants }, count] of left) {
    if (count > 0 && variants.at(-1)?.spread.some((group) => !group.isHost) === true) return true
  }
  return false
}

type Candidate = { readonly cost: PlanCost; readonly keep: () => void }

function candidateOf(plan: Plan, groups: readonly Group[]): Candidate {
  return { cost: costOf(plan), keep: savePlan(plan, groups) }
}

/** What another plan may cost and still be the best: once it costs more, it need not be finished. */
function mostOf(found: readonly Candidate[]): number {
  const complete = found.filter(({ cost }) => cost.unplaced + cost.unpriced === 0)
  return complete.reduce((least, { cost }) => Math.min(least, cost.microUsdPerHour), Number.POSITIVE_INFINITY)
}

function isDone({ left }: Plan): boolean {
  for (const count of left.values()) if (count > 0) return false
  return true
}

/**
 * Heavier pools take all they can before lighter ones are asked. True when every pod went to the domain chosen for it, so that the order of
 * choosing shows that all rules about domains can be kept.
 */
function placePacked(plan: Plan, queue: readonly QueueEntry[], groups: readonly Group[]): boolean {
  let isAsAssigned = true
  const tiers = tiersOf(plan.starts)
  const takersOf = takersAmong(plan.startsFor)
  const tierOf = new Map(tiers.flatMap((starts, tier) => starts.map((start) => [start, tier] as const)))
  const classesOf = classesByTier(plan, takersOf, tierOf)
  for (const [index, starts] of tiers.entries()) {
    if (!isDone(plan)) {
      const counts = countsOf(groups)
      const own = new Map((classesOf.get(index) ?? []).map((podClass) => [podClass, plan.left.get(podClass) ?? 0]))
      const left = withoutThoseOf({ ...plan, left: own }, tiers.slice(0, index).flat())
      const items = assignDomains({ ...plan, left }, starts, (start) => (tierOf.get(start) ?? 0) >= index, takersOf)
      counts()
      if (items.length > 0) isAsAssigned = pack(plan, starts, items) && isAsAssigned
    }
    if (index + 1 < tiers.length) fillCareful(plan, starts, queue)
  }
  plan.version++
  placeInOrder(plan, queue)
  return isAsAssigned
}

/** Classes that some pool of a tier takes, in one way or another. */
function classesByTier({ left }: Plan, takersOf: Takers, tierOf: ReadonlyMap<Start, number>): ReadonlyMap<number, readonly PodClass[]> {
  const found = new Map<number, PodClass[]>()
  for (const podClass of left.keys()) {
    const { amounts, variants } = podClass
    const tiers = new Set(variants.flatMap(({ constraint }) => takersOf(amounts, constraint).map((start) => tierOf.get(start) ?? 0)))
    for (const tier of tiers) {
      const own = found.get(tier)
      if (own === undefined) found.set(tier, [podClass])
      else own.push(podClass)
    }
  }
  return found
}

/** Pools that ask for least numbers of values: what cannot be packed for it may still be placed pod by pod. */
function isCareful({ combination }: Start): boolean {
  return combination.template.hasMinValues
}

/** Before lighter pools are asked, pods that give nothing up go to the careful ones. */
function fillCareful(plan: Plan, starts: readonly Start[], queue: readonly QueueEntry[]): void {
  const careful = starts.filter(isCareful)
  if (careful.length === 0 || isDone(plan)) return
  const plain = queue.filter(({ podClass }) => podClass.variants.length === 1)
  placeInOrder(withStarts(plan, careful), plain)
  plan.version++
}

/** Without pods that may give something up and that a heavier careful pool could take: which comes first is decided pod by pod. */
function withoutThoseOf(plan: Plan, heavier: readonly Start[]): Plan['left'] {
  const careful = heavier.filter(isCareful)
  if (careful.length === 0) return plan.left
  const taking = withStarts(plan, careful)
  const isWaiting = ({ variants }: PodClass): boolean => variants.length > 1
  const could = (podClass: PodClass): boolean => podClass.variants.some((variant) => couldOpen(taking, podClass, variant, []))
  return new Map([...plan.left].filter(([podClass]) => !(isWaiting(podClass) && could(podClass))))
}

/** Pools of one weight: among them the price decides. */
function tiersOf(starts: readonly Start[]): readonly (readonly Start[])[] {
  const tiers: Start[][] = []
  for (const start of starts) {
    const last = tiers.at(-1)
    if (last?.[0]?.combination.template.weight === start.combination.template.weight) last.push(start)
    else tiers.push([start])
  }
  return tiers
}

/** Keeps a finished plan so that it can be put back. */
function savePlan(plan: Plan, groups: readonly Group[]): () => void {
  const bins = [...plan.bins]
  const log = [...plan.log]
  const left: readonly (readonly [PodClass, number])[] = [...plan.left]
  const restore = restorePoint(plan, groups)
  return () => {
    restore()
    replaceAll(plan.bins, bins)
    replaceAll(plan.log, log)
    for (const [podClass, count] of left) plan.left.set(podClass, count)
  }
}
