/** Which items could go to which machines, kept up to date while machines are filled. */
import { maxOf, type Resources } from '../../../../model/resources.ts'
import { isWithin } from '../../model/catalog/limits.ts'
import { largestCapacityOf, type NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { cheapestPlace, enoughOf, minimumsOf, paretoFront, pricedPlaces } from '../../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, addTimes, fits } from '../../model/quantities/amounts.ts'
import { LARGER_SIZES, MOST_SIZES, SMALLER_SIZES } from '../../model/quantities/tuning.ts'
import type { NodePoolOption } from '../plan.ts'
import type { BinType, DualPrices, PricedBinTypes } from './dualValues.ts'
import { drop, type Item, type Shape, shapesOf } from './items.ts'

/** A bin type, and the items that its machines take. */
export type Offer = {
  /** Index among all offers. */
  readonly place: number
  readonly binType: BinType
  readonly duals: DualPrices
  /** The shapes with waiting items. */
  shapes: readonly Shape[]
  /** The amounts of the shapes, one after another. */
  table: Float64Array
  /** The least that any shape takes, by axis. */
  least: Amounts
  /** 1 if the shape may not come first: a rule gives other shapes machines of their own. Undefined if no shape has such a rule. */
  notFirst: Uint8Array | undefined
  /** What all waiting pods take, by axis. A buffer. */
  readonly demand: Amounts
  /** The shapes that a rule gives machines of their own. */
  readonly slotShapes: Set<Shape>
  /** The least number of machines that this rule asks for. */
  hosts: number
}

export interface Offers {
  readonly all: readonly Offer[]
  /** The dual value of a pod of each item, by id of the item. */
  readonly dualValue: Float64Array
  /** The offers whose best machine may have changed since the last call: some of their pods got a place, or their pool has limits. */
  changed(): Iterable<Offer>
  /** Takes pods of the item, which have got a place, out of all offers. */
  take(item: Item, count: number): void
}

type Place = { readonly offer: Offer; readonly shape: Shape; readonly perHost: number }

/** Makes offers. `items`: by id. Their counts are buffers of the offers, and say how many pods still wait. */
export function offersOf({ subproblems, dualValue }: PricedBinTypes, items: readonly Item[], axes: number): Offers {
  const places = new Map<Item, Place[]>()
  const all = subproblems.map(({ binType, duals, items: takes }, place): Offer => {
    const shapes = shapesOf(takes.flatMap(({ id }) => items[id] ?? []))
    const offer: Offer = {
      place,
      binType,
      duals,
      demand: new Float64Array(axes),
      slotShapes: new Set(),
      hosts: 0,
      ...tableOf(shapes, axes, NO_SHAPES),
    }
    for (const shape of shapes) for (const { items: waiting } of shape.queues) for (const item of waiting) join(offer, shape, item)
    offer.notFirst = notFirstOf(shapes, offer.slotShapes)
    return offer
  })

  const limited = all.filter(({ binType }) => binType.poolOption.limits.left !== undefined)
  let stale = new Set(all)

  function join(offer: Offer, shape: Shape, item: Item): void {
    const { duals, demand, slotShapes } = offer
    addTimes(demand, item.podClass.amounts, item.count)
    const rule = item.rules.tightest
    const perHost = rule !== undefined && rule.group === duals.slot?.group ? 1 / rule.most : 0
    if (perHost > 0) slotShapes.add(shape)
    offer.hosts += item.count * perHost
    const known = places.get(item) ?? []
    known.push({ offer, shape, perHost })
    places.set(item, known)
  }

  return {
    all,
    dualValue,
    changed() {
      const found = stale
      stale = new Set(limited)
      return found
    },
    take(item, count) {
      item.count -= count
      for (const { offer, shape, perHost } of places.get(item) ?? []) {
        stale.add(offer)
        addTimes(offer.demand, item.podClass.amounts, -count)
        shape.waiting -= count
        offer.hosts -= count * perHost
        if (item.count > 0) continue
        drop(shape, item)
        if (shape.queues.length > 0) continue
        const rest = offer.shapes.filter((each) => each !== shape)
        Object.assign(offer, tableOf(rest, axes, offer.slotShapes))
      }
    },
  }
}

const NO_SHAPES: ReadonlySet<Shape> = new Set()

function tableOf(
  shapes: readonly Shape[],
  axes: number,
  slotShapes: ReadonlySet<Shape>,
): Pick<Offer, 'shapes' | 'table' | 'least' | 'notFirst'> {
  const table = new Float64Array(shapes.length * axes)
  const least = new Float64Array(axes).fill(Number.POSITIVE_INFINITY)
  for (let at = 0, start = 0; at < shapes.length; at++, start += axes) {
    const amounts = shapes[at]?.amounts ?? least
    for (let axis = 0; axis < axes; axis++) {
      const amount = amounts[axis] ?? 0
      table[start + axis] = amount
      if (amount < (least[axis] ?? 0)) least[axis] = amount
    }
  }
  return { shapes, table, least, notFirst: notFirstOf(shapes, slotShapes) }
}

function notFirstOf(shapes: readonly Shape[], slotShapes: ReadonlySet<Shape>): Uint8Array | undefined {
  if (slotShapes.size === 0) return undefined
  const notFirst = new Uint8Array(shapes.length)
  for (const [at, shape] of shapes.entries()) notFirst[at] = slotShapes.has(shape) ? 0 : 1
  return notFirst.includes(0) ? notFirst : undefined
}

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
