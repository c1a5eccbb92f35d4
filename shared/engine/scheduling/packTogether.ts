/** For mixed pods: again and again the machine that holds the most worth of what is left for its price. */
import { addTimes, countFitting, largestShare, zeros } from './amounts.ts'
import { type Bin, openBin, putInto } from './bin.ts'
import { type Combination, withConstraint } from './combination.ts'
import type { Demand, Ground, Start } from './ground.ts'
import { ceilingOf, isWithin, machineOf } from './limits.ts'
import type { Constraint, PodGroup } from './podGroups.ts'
import type { Size } from './template.ts'

/** Fills tried, in pods groups looked at: bounds the time of a decision. What is left then goes by first fit. */
const MAX_WORK = 8_000_000

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
  const search = { ground, left, worth, frontiers: new Map<Combination, readonly Size[]>(), work: 0 }
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
  readonly frontiers: Map<Combination, readonly Size[]>
  work: number
}

function rest({ left, worth }: Search, group: PodGroup, wanted: number): number {
  return worth.get(group) === undefined ? wanted : (left.get(group) ?? 0)
}

/** The least a pod can cost: its share of the machine where that is cheapest. Undefined: no size with a price takes it. */
function worthOf({ starts }: Ground, group: PodGroup): number | undefined {
  let least: number | undefined
  for (const { combination } of starts) {
    if (combination.template.hasMinValues) continue
    const combined = withConstraint(combination, group.constraint)
    for (const size of combined?.order ?? []) {
      const price = combined?.best[size.index]?.price
      const share = largestShare(group.amounts, size.free)
      if (price !== undefined && share <= 1) least = Math.min(least ?? price * share, price * share)
    }
  }
  return least
}

/** Each size is tried at its price for each constraint left; pods that would make it dearer stay out. */
function bestPattern(search: Search): Pattern | undefined {
  let best: Pattern | undefined
  for (const { start, seed } of seedsOf(search)) {
    for (const size of frontierOf(search, seed)) {
      const pattern = isWithin(size.type.capacity, start.limits.left) ? fill(search, start, seed, size) : undefined
      if (pattern !== undefined && pattern.score > (best?.score ?? 0)) best = pattern
    }
  }
  return best
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

function fill(search: Search, start: Start, seed: Combination, size: Size): Pattern | undefined {
  const price = seed.best[size.index]?.price
  if (price === undefined) return undefined
  const total = zeros(search.ground.axes)
  const counts = new Map<PodGroup, number>()
  let combination = seed
  let worth = 0
  for (const [group, wanted] of search.left) {
    search.work++
    const count = countFitting(total, group.amounts, size.free, wanted)
    if (count === 0) continue
    const combined = withConstraint(combination, group.constraint)
    if (combined?.best[size.index]?.price !== price) continue
    combination = combined
    addTimes(total, group.amounts, count)
    counts.set(group, count)
    worth += count * (search.worth.get(group) ?? 0)
  }
  return counts.size === 0 ? undefined : { start, combination, size, counts, score: worth / Math.max(price, 1) }
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

/** Sizes no cheaper one of the combination can stand in for. */
function frontierOf({ frontiers }: Search, combination: Combination): readonly Size[] {
  const known = frontiers.get(combination)
  if (known !== undefined) return known
  const kept: Size[] = []
  for (const size of combination.order) {
    const isDominated = kept.some((cheaper) => size.free.every((amount, axis) => amount <= (cheaper.free[axis] ?? 0)))
    if (combination.best[size.index]?.price !== undefined && !isDominated) kept.push(size)
  }
  frontiers.set(combination, kept)
  return kept
}
