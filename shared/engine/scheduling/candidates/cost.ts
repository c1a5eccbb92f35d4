import { leastOf } from '../../../base/lists.ts'
import type { NarrowedTemplate } from '../model/catalog/narrowedTemplate.ts'
import { pricedPlaces } from '../model/catalog/sizePrices.ts'
import { cheapestOf } from '../model/nodes/bin.ts'
import { demandOf, type PodDemand } from '../model/quantities/amounts.ts'
import type { NodePoolOption, Plan } from './plan.ts'

/** The cost of a plan. Fields are compared in their order, and lower is better. */
export type PlanCost = {
  readonly unplaced: number
  /** Claims of which no size has a known price. */
  readonly unpriced: number
  readonly microUsdPerHour: number
  readonly claims: number
}

export function costOf({ bins, left }: Plan): PlanCost {
  let unpriced = 0
  let microUsdPerHour = 0
  for (const bin of bins) {
    const price = cheapestOf(bin)?.offering.price
    if (price === undefined) unpriced++
    else microUsdPerHour += price
  }
  const unplaced = [...left.values()].reduce((sum, count) => sum + count, 0)
  return { unplaced, unpriced, microUsdPerHour, claims: bins.length }
}

export function isBetter(first: PlanCost, second: PlanCost): boolean {
  const difference =
    first.unplaced - second.unplaced ||
    first.unpriced - second.unpriced ||
    first.microUsdPerHour - second.microUsdPerHour ||
    first.claims - second.claims
  return difference < 0
}

/**
 * A lower bound of the cost of a plan without existing nodes, in micro-USD per hour. Each resource must at least be bought where a unit of it costs
 * least, and the bound is the largest of these sums.
 */
export function leastCost(poolOptions: readonly NodePoolOption[], axes: number, waiting: readonly PodDemand[]): number {
  return leastCostAt(unitCosts(poolOptions, axes), waiting)
}

/** The least price of one unit of each resource in any size of the pools, in micro-USD per hour. Infinite for a resource that no size has. */
export function unitCosts(poolOptions: readonly NodePoolOption[], axes: number): Float64Array {
  return Float64Array.from({ length: axes }, (_, axis) =>
    leastOf(poolOptions.map(({ narrowedTemplate }) => leastPerUnit(narrowedTemplate, axis))),
  )
}

/** The same as `leastCost`, at known prices of units. Zero if some resource that pods ask for has no price. */
export function leastCostAt(units: Float64Array, waiting: readonly PodDemand[]): number {
  const demand = demandOf(waiting, units.length)
  let least = 0
  for (let axis = 0; axis < units.length; axis++) {
    const asked = demand[axis] ?? 0
    if (asked > 0) least = Math.max(least, asked * (units[axis] ?? 0))
  }
  // Prices are whole numbers. A fraction below `ROUNDING` is due to rounding.
  return Number.isFinite(least) ? Math.ceil(least - ROUNDING) : 0
}

const ROUNDING = 0.01

function leastPerUnit(narrowedTemplate: NarrowedTemplate, axis: number): number {
  let least = Number.POSITIVE_INFINITY
  for (const place of pricedPlaces(narrowedTemplate)) {
    const free = narrowedTemplate.order[place]?.free[axis] ?? 0
    if (free > 0) least = Math.min(least, (narrowedTemplate.best[place]?.price ?? 0) / free)
  }
  return least
}
