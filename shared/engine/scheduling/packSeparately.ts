/** For pods that are all alike the cheapest set of machines is found exactly: the cost of n pods from the costs of fewer. */
import { countFitting } from './amounts.ts'
import { type Bin, openBin, putInto } from './bin.ts'
import { type Combination, frontierOf, withConstraint } from './combination.ts'
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
  // A stable sort: of equals the first pool's, and its preferred size, stays first.
  const options = starts
    .filter((start) => !start.combination.template.hasMinValues)
    .flatMap((start) => optionsIn(start, group, wanted))
    .sort((first, second) => first.price - second.price || second.holds - first.holds)
  const kept: Option[] = []
  for (const option of options) if (option.holds > (kept.at(-1)?.holds ?? 0)) kept.push(option)
  return kept
}

function optionsIn(start: Start, group: PodGroup, wanted: number): readonly Option[] {
  const combination = withConstraint(start.combination, group.constraint)
  if (combination === undefined) return []
  const sizes = start.limits.left === undefined ? frontierOf(combination) : combination.order
  return sizes.flatMap((size) => {
    const price = combination.best[size.index]?.price
    const holds = countFitting([], group.amounts, size.free, wanted)
    const isOption = price !== undefined && holds > 0 && isWithin(size.type.capacity, start.limits.left)
    return isOption ? [{ start, combination, size, price, holds }] : []
  })
}

/** Largest first. Empty when there are no options. */
function cheapestSet(options: readonly Option[], wanted: number): readonly Option[] {
  const lastOf = lastMachines(options, wanted)
  const chosen: Option[] = []
  for (let pods = wanted; pods > 0; ) {
    const option = options[lastOf[pods] ?? 0]
    if (option === undefined) break
    chosen.push(option)
    pods -= option.holds
  }
  return chosen.sort((first, second) => second.holds - first.holds)
}

/** For each count of pods the option to end with: the least cost, then the fewest machines. */
function lastMachines(options: readonly Option[], wanted: number): Uint32Array {
  const cost = new Float64Array(wanted + 1)
  const machines = new Uint32Array(wanted + 1)
  const lastOf = new Uint32Array(wanted + 1)
  const at = (buffer: Float64Array | Uint32Array, pods: number): number => buffer[Math.max(0, pods)] ?? 0
  for (let pods = 1; pods <= wanted; pods++) {
    cost[pods] = Number.POSITIVE_INFINITY
    for (const [index, { price, holds }] of options.entries()) {
      const total = at(cost, pods - holds) + price
      const count = at(machines, pods - holds) + 1
      const isBetter = total < at(cost, pods) || (total === at(cost, pods) && count < at(machines, pods))
      if (!isBetter) continue
      cost[pods] = total
      machines[pods] = count
      lastOf[pods] = index
    }
  }
  return lastOf
}
