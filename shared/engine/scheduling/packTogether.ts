/** For mixed pods: again and again the machine that holds the most worth of what is left for its price. */
import { type Amounts, addTimes, countFitting, fitsWithin, largestShare, zeros } from './amounts.ts'
import { type Bin, openBin, putInto } from './bin.ts'
import { type Combination, frontierOf, withConstraint } from './combination.ts'
import type { Demand, Ground, Start } from './ground.ts'
import { ceilingOf, isWithin, machineOf } from './limits.ts'
import type { Constraint, PodGroup } from './podGroups.ts'
import type { Size } from './template.ts'

/** Fills tried, in pods groups looked at: bounds the time of a decision. What is left then goes by first fit. */
const MAX_WORK = 4_000_000

/** What one machine would hold. */
type Pattern = {
  readonly start: Start
  readonly combination: Combination
  readonly size: Size
  readonly counts: ReadonlyMap<PodGroup, number>
  /** Worth of the pods held for each unit of price. */
  readonly score: number
}

/** Adds bins for the demand and answers what is left of it. */
export function packTogether(ground: Ground, demand: Demand, bins: Bin[]): Demand {
  const left = new Map(demand)
  const worth = new Map([...demand.keys()].map((group) => [group, worthOf(ground, group)]))
  for (const [group, each] of worth) if (each === undefined) left.delete(group)
  const search = {
    ground,
    left,
    worth,
    least: leastOf([...left.keys()], ground.axes),
    scratch: zeros(ground.axes),
    work: 0,
  }
  while (left.size > 0 && search.work < MAX_WORK) {
    const pattern = bestPattern(search)
    if (pattern === undefined) break
    repeat(search, pattern, bins)
  }
  return new Map([...demand].map(([group, wanted]) => [group, rest(search, group, wanted)] as const).filter(([, count]) => count > 0))
}

type Search = {
  readonly ground: Ground
  /** Buffer: shrinks as bins are filled. */
  readonly left: Map<PodGroup, number>
  readonly worth: ReadonlyMap<PodGroup, number | undefined>
  /** The least any group asks on each axis: a machine with less left is full. */
  readonly least: Amounts
  /** Buffer: what the fill that is being tried holds. */
  readonly scratch: number[]
  work: number
}

function rest({ left, worth }: Search, group: PodGroup, wanted: number): number {
  return worth.get(group) === undefined ? wanted : (left.get(group) ?? 0)
}

function leastOf(groups: readonly PodGroup[], axes: number): Amounts {
  return zeros(axes).map((_, axis) => groups.reduce((least, group) => Math.min(least, group.amounts[axis] ?? 0), Number.MAX_VALUE))
}

/** The least a pod can cost: its share of the machine where that is cheapest. Undefined: no size with a price takes it. */
function worthOf({ starts }: Ground, group: PodGroup): number | undefined {
  let least: number | undefined
  for (const { combination } of starts) {
    if (combination.template.hasMinValues) continue
    const combined = withConstraint(combination, group.constraint)
    for (const size of combined === undefined ? [] : frontierOf(combined)) {
      const price = combined?.best[size.index]?.price
      const share = largestShare(group.amounts, size.free)
      if (price !== undefined && share <= 1) least = Math.min(least ?? price * share, price * share)
    }
  }
  return least
}

/** Each size is tried at its price for each constraint left; pods that would make it dearer stay out. */
function bestPattern(search: Search): Pattern | undefined {
  let best: Omit<Pattern, 'counts'> | undefined
  for (const { start, seed } of seedsOf(search)) {
    for (const size of sizesToTry(seed, start)) {
      const { score } = fill(search, seed, size, undefined)
      if (score > (best?.score ?? 0)) best = { start, combination: seed, size, score }
    }
  }
  if (best === undefined) return undefined
  const counts = new Map<PodGroup, number>()
  return { ...best, combination: fill(search, best.combination, best.size, counts).combination, counts }
}

/** Within limits a size that is no bargain may be the one that is allowed. */
function sizesToTry(seed: Combination, { limits }: Start): readonly Size[] {
  return limits.left === undefined ? frontierOf(seed) : seed.order.filter((size) => isWithin(size.type.capacity, limits.left))
}

/** Every pool with every constraint left; pools with minValues are left to first fit, which keeps count of them. */
function seedsOf({ ground, left }: Search): readonly { readonly start: Start; readonly seed: Combination }[] {
  const constraints = [...new Set<Constraint>([...left.keys()].map((group) => group.constraint))]
  return ground.starts
    .filter((start) => !start.combination.template.hasMinValues)
    .flatMap((start) =>
      constraints.flatMap((constraint) => {
        const seed = withConstraint(start.combination, constraint)
        return seed === undefined ? [] : [{ start, seed }]
      }),
    )
}

type Fill = { readonly combination: Combination; readonly score: number }

/** Pods in queue order as far as they go. Most fills are only tried; `counts` is written for the one that is kept. */
function fill(search: Search, seed: Combination, size: Size, counts: Map<PodGroup, number> | undefined): Fill {
  const price = seed.best[size.index]?.price
  const total = search.scratch.fill(0)
  let combination = seed
  let worth = 0
  if (price === undefined) return { combination, score: 0 }
  for (const [group, wanted] of search.left) {
    search.work++
    if (!fitsWithin(total, search.least, size.free)) break
    const count = countFitting(total, group.amounts, size.free, wanted)
    const combined = count === 0 ? undefined : withConstraint(combination, group.constraint)
    if (combined?.best[size.index]?.price !== price) continue
    combination = combined
    addTimes(total, group.amounts, count)
    counts?.set(group, count)
    worth += count * (search.worth.get(group) ?? 0)
  }
  return { combination, score: worth / Math.max(price, 1) }
}

/** Fills as many machines with the pattern as there are pods for, and at least one. */
function repeat({ ground, left }: Search, { start, combination, size, counts }: Pattern, bins: Bin[]): void {
  const { capacity } = size.type
  const hasAll = () => [...counts].every(([group, count]) => (left.get(group) ?? 0) >= count)
  while (hasAll() && isWithin(capacity, start.limits.left)) {
    const bin = openBin(
      { combination, minimums: new Map(), ceiling: ceilingOf(start.limits, capacity), charge: machineOf(capacity) },
      ground.axes,
    )
    for (const [group, count] of counts) {
      putInto(bin, group, count, { combination, cursor: 0 })
      const remaining = (left.get(group) ?? 0) - count
      if (remaining > 0) left.set(group, remaining)
      else left.delete(group)
    }
    start.limits.take(machineOf(capacity))
    bins.push(bin)
  }
}
