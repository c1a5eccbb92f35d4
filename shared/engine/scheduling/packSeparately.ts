/** For pods that are all alike the cheapest set of machines is found exactly: the cost of n pods from the costs of fewer. */
import { comparePrices } from '../offering/usableOfferings.ts'
import { countFitting } from './amounts.ts'
import { type Bin, openBin, putInto } from './bin.ts'
import { type Combination, withConstraint } from './combination.ts'
import type { Demand, Ground, Start } from './ground.ts'
import { ceilingOf, isWithin, machineOf } from './limits.ts'
import type { PodGroup } from './podGroups.ts'
import type { Size } from './template.ts'

/** One way to hold some pods of a group. */
type Option = {
  readonly start: Start
  readonly combination: Combination
  readonly size: Size
  readonly price: number
  readonly holds: number
}

/** Gives every group machines of its own. Answers what is left: pods without a priced size, or beyond a limit. */
export function packSeparately(ground: Ground, demand: Demand, bins: Bin[]): Demand {
  const left = new Map<PodGroup, number>()
  for (const [group, wanted] of demand) {
    let rest = wanted
    for (const option of cheapestSet(optionsFor(ground, group, wanted), wanted)) {
      const { capacity } = option.size.type
      if (!isWithin(capacity, option.start.limits.left)) continue
      const count = Math.min(option.holds, rest)
      bins.push(filledBin(ground, option, group, count))
      option.start.limits.take(machineOf(capacity))
      rest -= count
    }
    if (rest > 0) left.set(group, rest)
  }
  return left
}

function filledBin(ground: Ground, { start, combination, size }: Option, group: PodGroup, count: number): Bin {
  const { capacity } = size.type
  const bin = openBin(
    { combination, minimums: new Map(), ceiling: ceilingOf(start.limits, capacity), charge: machineOf(capacity) },
    ground.axes,
  )
  putInto(bin, group, count, { combination, cursor: 0 })
  return bin
}

/** Every count of pods some size holds, with the cheapest size for it; none that holds less for as much. */
function optionsFor({ starts }: Ground, group: PodGroup, wanted: number): readonly Option[] {
  const options: Option[] = []
  for (const start of starts) {
    if (start.combination.template.hasMinValues) continue
    const combination = withConstraint(start.combination, group.constraint)
    for (const size of combination?.order ?? []) {
      const price = combination?.best[size.index]?.price
      const holds = countFitting([], group.amounts, size.free, wanted)
      const isAllowed = isWithin(size.type.capacity, start.limits.left)
      if (combination !== undefined && price !== undefined && holds > 0 && isAllowed)
        options.push({ start, combination, size, price, holds })
    }
  }
  // A stable sort: of equals the first pool's, and its preferred size, stays first.
  options.sort((first, second) => comparePrices(priceOf(first), priceOf(second)) || second.holds - first.holds)
  const kept: Option[] = []
  for (const option of options) if (option.holds > (kept.at(-1)?.holds ?? 0)) kept.push(option)
  return kept
}

function priceOf({ combination, size }: Option) {
  return combination.best[size.index]?.price
}

/** Largest first. Empty when there are no options. */
function cheapestSet(options: readonly Option[], wanted: number): readonly Option[] {
  if (options.length === 0) return []
  const cost = new Float64Array(wanted + 1)
  const machines = new Uint32Array(wanted + 1)
  const choice = new Uint32Array(wanted + 1)
  for (let pods = 1; pods <= wanted; pods++) {
    cost[pods] = Number.POSITIVE_INFINITY
    for (const [index, { price, holds }] of options.entries()) {
      const rest = Math.max(0, pods - holds)
      const total = (cost[rest] ?? 0) + price
      const count = (machines[rest] ?? 0) + 1
      const known = cost[pods] ?? 0
      if (total > known || (total === known && count >= (machines[pods] ?? 0))) continue
      cost[pods] = total
      machines[pods] = count
      choice[pods] = index
    }
  }
  const chosen: Option[] = []
  for (let pods = wanted; pods > 0; ) {
    const option = options[choice[pods] ?? 0]
    if (option === undefined) break
    chosen.push(option)
    pods -= option.holds
  }
  return chosen.sort((first, second) => second.holds - first.holds)
}
