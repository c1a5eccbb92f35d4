/** Which sizes are worth a try for the next machine. */
import { maxOf, type Resources } from '../../../../model/resources.ts'
import { type Combination, largestCapacityOf } from '../../model/catalog/combination.ts'
import { isWithin } from '../../model/catalog/limits.ts'
import { enoughOf, minimumsOf } from '../../model/catalog/minValues.ts'
import { frontierOf, pricedPlaces } from '../../model/catalog/sizePrices.ts'
import type { Size } from '../../model/catalog/template.ts'
import { type Amounts, fits } from '../../model/quantities/amounts.ts'
import type { Start } from '../plan.ts'
import type { Offer } from './offers.ts'

/** Sizes that are tried for a machine. */
const MOST_SIZES = 8
/** Sizes about a fair share of all that waits: so many that are smaller, and so many that hold it. */
const SMALLER = 1
const LARGER = 3
/** Less of a machine than this is due to rounding. */
const HALF = 0.5

/** Places in the order of the offer's combination. */
export function sizesFor({ seed, market, demand, hosts }: Offer): readonly number[] {
  const { start, combination } = seed
  return hosts > HALF ? sizesNear(combination, start, demand, hosts) : bargains(combination, start, market.prices)
}

/**
 * Where a rule asks for many machines, the sizes about as large as each one's share of all that waits: larger ones would leave the others
 * without company.
 */
function sizesNear(combination: Combination, { limits }: Start, demand: Amounts, hosts: number): readonly number[] {
  // Where several sizes must stay, there is no use in those that others do not hold as much as.
  const places = combination.template.hasMinValues ? frontierOf(combination).map(({ place }) => place) : pricedPlaces(combination)
  const allowed = placesWithin(combination, limits.left, places)
  const share = new Float64Array(demand.length)
  for (let axis = 0; axis < share.length; axis++) share[axis] = (demand[axis] ?? 0) / Math.max(1, hosts)
  const enough = allowed.findIndex((place) => fits(share, combination.order[place]?.free ?? share))
  const middle = enough < 0 ? allowed.length - 1 : enough
  return allowed.slice(Math.max(0, middle - SMALLER), middle + LARGER)
}

/** The sizes whose resources cost least at fair prices. Within limits a size that is no bargain may be the one that is allowed. */
function bargains(combination: Combination, { limits }: Start, prices: Float64Array): readonly number[] {
  const isFree = isWithin(largestCapacityOf(combination), limits.left)
  const places = isFree ? frontierOf(combination).map(({ place }) => place) : pricedPlaces(combination)
  const allowed = placesWithin(combination, limits.left, places)
  if (allowed.length <= MOST_SIZES) return allowed
  return [...allowed]
    .map((place) => ({ place, value: valueForPrice(combination, place, prices) }))
    .sort((first, second) => second.value - first.value || first.place - second.place)
    .slice(0, MOST_SIZES)
    .map(({ place }) => place)
}

function placesWithin(combination: Combination, left: Start['limits']['left'], places: readonly number[]): readonly number[] {
  if (isWithin(largestCapacityOf(combination), left)) return places
  return places.filter((place) => isWithin(combination.order[place]?.type.capacity ?? {}, left))
}

function valueForPrice({ order, best }: Combination, place: number, prices: Float64Array): number {
  const free = order[place]?.free ?? prices
  let value = 0
  for (let axis = 0; axis < prices.length; axis++) if (Number.isFinite(free[axis])) value += (prices[axis] ?? 0) * (free[axis] ?? 0)
  return value / Math.max(1, best[place]?.price ?? Number.POSITIVE_INFINITY)
}

export type Cheapest = {
  readonly size: Size
  readonly price: number
  /** What a machine takes of limits: as much as the size, or as the largest of those that must stay. */
  readonly capacity: Resources
}

/** The cheapest size that holds what was put together, where as many sizes hold it as the pool asks for. */
export function cheapestHolding(combination: Combination, total: Amounts, { limits }: Start): Cheapest | undefined {
  const { order, best, template } = combination
  const { left } = limits
  const holds = (size: Size): boolean => fits(total, size.free) && isWithin(size.type.capacity, left)
  for (let place = 0; place < order.length; place++) {
    const size = order[place]
    const price = best[place]?.price
    if (size === undefined || price === undefined || !holds(size)) continue
    if (!template.hasMinValues) return { size, price, capacity: size.type.capacity }
    const staying = enoughOf(minimumsOf(template.requirements), order.slice(place).filter(holds))
    return staying && { size, price, capacity: staying.map(({ type }) => type.capacity).reduce(maxOf, size.type.capacity) }
  }
  return undefined
}
