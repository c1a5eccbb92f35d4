/** The prices of the sizes of a narrowed template, and the sizes that are worth a look. */
import { fits } from '../quantities/amounts.ts'
import { enoughOf, minimumsOf } from './minValues.ts'
import type { NarrowedTemplate, Priced } from './narrowedTemplate.ts'
import type { InstanceTypeOption } from './template.ts'

/** The sizes with a known price for which no cheaper size holds as much. Cheapest first. */
export function paretoFront(narrowedTemplate: NarrowedTemplate): readonly Priced[] {
  if (narrowedTemplate.paretoFront !== undefined) return narrowedTemplate.paretoFront
  const { order } = narrowedTemplate
  const kept: Priced[] = []
  const most = new Float64Array(order[0]?.free.length ?? 0).fill(Number.NEGATIVE_INFINITY)
  for (const priced of pricedHolding(narrowedTemplate)) {
    const size = order[priced.place]
    if (size === undefined) continue
    // A size that has more of some resource than all sizes before is dominated by none of them.
    const isDominated = fits(size.free, most) && kept.some((cheaper) => fits(size.free, order[cheaper.place]?.free ?? size.free))
    if (isDominated) continue
    kept.push(priced)
    for (let axis = 0; axis < most.length; axis++) most[axis] = Math.max(most[axis] ?? 0, size.free[axis] ?? 0)
  }
  narrowedTemplate.paretoFront = kept
  return kept
}

/**
 * The priced sizes, cheapest first. With `minValues`, a size counts at the price of the cheapest size that holds as much. It drops out if the
 * sizes that hold as much have too few values.
 */
function pricedHolding(narrowedTemplate: NarrowedTemplate): readonly Priced[] {
  const { order, best, template } = narrowedTemplate
  const places = pricedPlaces(narrowedTemplate)
  const asIs = places.map((place) => ({ place, price: best[place]?.price ?? 0 }))
  if (!template.hasMinValues) return asIs
  const minimums = minimumsOf(template.requirements)
  const held = asIs.flatMap(({ place }) => {
    const free = order[place]?.free
    const holding = free === undefined ? [] : order.filter((size) => fits(free, size.free))
    const [cheapest] = holding
    return cheapest === undefined || enoughOf(minimums, narrowedTemplate, holding) === undefined
      ? []
      : [{ place, price: priceOf(narrowedTemplate, cheapest) }]
  })
  return held.sort((one, other) => one.price - other.price || one.place - other.place)
}

/** The places in the order of sizes with a known price. They come first in the order. */
export function pricedPlaces(narrowedTemplate: NarrowedTemplate): readonly number[] {
  const { best } = narrowedTemplate
  if (narrowedTemplate.priced !== undefined) return narrowedTemplate.priced
  const end = best.findIndex(({ price }) => price === undefined)
  narrowedTemplate.priced = Array.from({ length: end < 0 ? best.length : end }, (_, place) => place)
  return narrowedTemplate.priced
}

/** The price of the size here, in micro-USD an hour. Infinite if the price is unknown, NaN if the size does not serve. */
export function priceOf(narrowedTemplate: NarrowedTemplate, { index }: InstanceTypeOption): number {
  narrowedTemplate.prices ??= pricesOf(narrowedTemplate)
  return narrowedTemplate.prices[index] ?? Number.NaN
}

function pricesOf({ template, order, best }: NarrowedTemplate): Float64Array {
  const prices = new Float64Array(template.sizes.length).fill(Number.NaN)
  for (let place = 0; place < order.length; place++) {
    const size = order[place]
    if (size !== undefined) prices[size.index] = best[place]?.price ?? Number.POSITIVE_INFINITY
  }
  return prices
}
