/** Which sizes are worth a try for the next machine. */

import { maxOf, type Resources } from '../../../../model/resources.ts'
import { cheapestPlace } from '../../model/catalog/cheapestPlace.ts'
import { isWithin } from '../../model/catalog/limits.ts'
import { enoughOf, minimumsOf } from '../../model/catalog/minValues.ts'
import { largestCapacityOf, type NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { paretoFront, pricedPlaces } from '../../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, fits } from '../../model/quantities/amounts.ts'
import { LARGER_SIZES, MOST_SIZES, SMALLER_SIZES } from '../../model/quantities/tuning.ts'
import type { NodePoolOption } from '../plan.ts'
import type { Offer } from './offers.ts'

/** Less of a machine than this is due to rounding. */
const HALF = 0.5

/** The sizes to try for the offer, as places in the order of its narrowed template. */
export function sizesFor({ binType, duals, demand, hosts }: Offer): readonly number[] {
  const { poolOption, narrowedTemplate } = binType
  return hosts > HALF ? sizesNear(narrowedTemplate, poolOption, demand, hosts) : bargains(narrowedTemplate, poolOption, duals.prices)
}

/**
 * Where a rule asks for many machines: the sizes about as large as each machine's share of all waiting pods. Larger machines would leave too few pods
 * for the other machines.
 */
function sizesNear(narrowedTemplate: NarrowedTemplate, { limits }: NodePoolOption, demand: Amounts, hosts: number): readonly number[] {
  // With `minValues`, a size is of no use if too few sizes hold as much.
  const places = narrowedTemplate.template.hasMinValues
    ? paretoFront(narrowedTemplate).map(({ place }) => place)
    : pricedPlaces(narrowedTemplate)
  const allowed = placesWithin(narrowedTemplate, limits.left, places)
  const share = new Float64Array(demand.length)
  for (let axis = 0; axis < share.length; axis++) share[axis] = (demand[axis] ?? 0) / Math.max(1, hosts)
  const enough = allowed.findIndex((place) => fits(share, narrowedTemplate.order[place]?.free ?? share))
  const middle = enough < 0 ? allowed.length - 1 : enough
  return allowed.slice(Math.max(0, middle - SMALLER_SIZES), middle + LARGER_SIZES)
}

/** The sizes with the most value for their price at dual prices. Within limits, the only allowed size may be no bargain. */
function bargains(narrowedTemplate: NarrowedTemplate, { limits }: NodePoolOption, prices: Float64Array): readonly number[] {
  const isFree = isWithin(largestCapacityOf(narrowedTemplate), limits.left)
  const places = isFree ? paretoFront(narrowedTemplate).map(({ place }) => place) : pricedPlaces(narrowedTemplate)
  const allowed = placesWithin(narrowedTemplate, limits.left, places)
  if (allowed.length <= MOST_SIZES) return allowed
  return [...allowed]
    .map((place) => ({ place, value: valueForPrice(narrowedTemplate, place, prices) }))
    .sort((first, second) => second.value - first.value || first.place - second.place)
    .slice(0, MOST_SIZES)
    .map(({ place }) => place)
}

function placesWithin(
  narrowedTemplate: NarrowedTemplate,
  left: NodePoolOption['limits']['left'],
  places: readonly number[],
): readonly number[] {
  if (isWithin(largestCapacityOf(narrowedTemplate), left)) return places
  return places.filter((place) => isWithin(narrowedTemplate.order[place]?.type.capacity ?? {}, left))
}

function valueForPrice({ order, best }: NarrowedTemplate, place: number, prices: Float64Array): number {
  const free = order[place]?.free ?? prices
  let value = 0
  for (let axis = 0; axis < prices.length; axis++) if (Number.isFinite(free[axis])) value += (prices[axis] ?? 0) * (free[axis] ?? 0)
  return value / Math.max(1, best[place]?.price ?? Number.POSITIVE_INFINITY)
}

export type Cheapest = {
  readonly size: InstanceTypeOption
  readonly price: number
  /** What a machine takes of limits: the capacity of the size or, with `minValues`, the largest capacity of the sizes that must stay. */
  readonly capacity: Resources
}

/** The cheapest size that holds the total. Undefined if there is none, or if fewer sizes hold it than `minValues` of the pool asks for. */
export function cheapestHolding(narrowedTemplate: NarrowedTemplate, total: Amounts, { limits }: NodePoolOption): Cheapest | undefined {
  const { order, best, template } = narrowedTemplate
  const { left } = limits
  const place = cheapestPlace({ total, ceiling: left }, narrowedTemplate, undefined, 0)
  const size = order[place]
  const price = best[place]?.price
  if (size === undefined || price === undefined) return undefined
  if (!template.hasMinValues) return { size, price, capacity: size.type.capacity }
  const holds = (each: InstanceTypeOption): boolean => fits(total, each.free) && isWithin(each.type.capacity, left)
  const staying = enoughOf(minimumsOf(template.requirements), narrowedTemplate, order.slice(place).filter(holds))
  return staying && { size, price, capacity: staying.map(({ type }) => type.capacity).reduce(maxOf, size.type.capacity) }
}
