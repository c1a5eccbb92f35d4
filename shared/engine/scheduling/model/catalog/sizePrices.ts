/** What the sizes of a narrowed template cost, and which of them are worth a look. */
import { fits } from '../quantities/amounts.ts'
import { enoughOf, minimumsOf } from './minValues.ts'
import type { NarrowedTemplate, Priced } from './narrowedTemplate.ts'
import type { InstanceTypeOption } from './template.ts'

/** Sizes with a known price that no cheaper one can stand in for. */
export function paretoFront(narrowedTemplate: NarrowedTemplate): readonly Priced[] {
  if (narrowedTemplate.paretoFront !== undefined) return narrowedTemplate.paretoFront
  const { order } = narrowedTemplate
  const kept: Priced[] = []
  const most = new Float64Array(order[0]?.free.length ?? 0).fill(Number.NEGATIVE_INFINITY)
  for (const priced of pricedHolding(narrowedTemplate)) {
    const size = order[priced.place]
    if (size === undefined) continue
    // What has more of something than all before is not dominated by any.
    const isDominated = fits(size.free, most) && kept.some((cheaper) => fits(size.free, order[cheaper.place]?.free ?? size.free))
    if (isDominated) continue
    kept.push(priced)
    for (let axis = 0; axis < most.length; axis++) most[axis] = Math.max(most[axis] ?? 0, size.free[axis] ?? 0)
  }
  narrowedTemplate.paretoFront = kept
  return kept
}

/** Cheapest first. Where several sizes must stay, the cheapest of those that hold as much counts, and there must be enough of them. */
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
    return cheapest === undefined || enoughOf(minimums, holding) === undefined
      ? []
      : [{ place, price: priceOf(narrowedTemplate, cheapest) }]
  })
  return held.sort((one, other) => one.price - other.price || one.place - other.place)
}

/** Places in the order of sizes with a known price: they come first. */
export function pricedPlaces(narrowedTemplate: NarrowedTemplate): readonly number[] {
  const { best } = narrowedTemplate
  if (narrowedTemplate.priced !== undefined) return narrowedTemplate.priced
  const end = best.findIndex(({ price }) => price === undefined)
  narrowedTemplate.priced = Array.from({ length: end < 0 ? best.length : end }, (_, place) => place)
  return narrowedTemplate.priced
}

/** What the size costs here: endless when that is unknown, no number when it does not serve. */
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
