/** The prices of the sizes of a narrowed template, and the sizes that are worth a look, also where minValues asks for several values. */
import type { Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import { type Amounts, fits, fitsWithin } from '../quantities/amounts.ts'
import { isWithin } from './limits.ts'
import { type NarrowedTemplate, type Priced, valuesOn } from './narrowedTemplate.ts'
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

/** `ceiling`: the most capacity that limits allow one machine. Undefined if there is no limit. */
type Asked = { readonly total: Amounts; readonly ceiling: Resources | undefined }

/**
 * Returns the first place, `from` or later, of a size that holds the total and `more` beside it. Returns the count of places if there is none. Sizes
 * come cheapest first and sizes of unknown price last, so the first size that fits is the cheapest. All searches for the cheapest size that fits are
 * in this file.
 */
export function cheapestPlace(
  { total, ceiling }: Asked,
  { order, largest }: Pick<NarrowedTemplate, 'order' | 'largest'>,
  more: Amounts | undefined,
  from: number,
): number {
  if (!isHeld(total, more, largest)) return order.length
  for (let place = from; place < order.length; place++) {
    const size = order[place]
    if (size !== undefined && isHeld(total, more, size.free) && isWithin(size.type.capacity, ceiling)) return place
  }
  return order.length
}

/** Reports whether `free` holds the total and `more` beside it. */
export function isHeld(total: Amounts, more: Amounts | undefined, free: Amounts): boolean {
  return more === undefined ? fits(total, free) : fitsWithin(total, more, free)
}

/** The least number of distinct values a claim must keep, by label key. */
export type Minimums = ReadonlyMap<string, number>

export type Shortage = { readonly key: string; readonly wanted: number; readonly had: number }

export function minimumsOf(requirements: Requirements): Minimums {
  const minimums = new Map<string, number>()
  for (const { key, minValues } of requirements.values()) if (minValues !== undefined) minimums.set(key, minValues)
  return minimums
}

/** The keys for which the sizes offer too few values. Only values count that a machine of this narrowed template may have. */
export function shortagesOf(
  minimums: Minimums,
  narrowedTemplate: NarrowedTemplate,
  sizes: readonly InstanceTypeOption[],
): readonly Shortage[] {
  const shortages: Shortage[] = []
  for (const [key, wanted] of minimums) {
    const values = new Set<string>()
    for (const size of sizes) for (const value of valuesOn(narrowedTemplate, size, key)) values.add(value)
    if (values.size < wanted) shortages.push({ key, wanted, had: values.size })
  }
  return shortages
}

/** Of these sizes in order, the ones that add a value still needed, up to the size that fills the last minimum. Undefined if values are too few. */
export function enoughOf(
  minimums: Minimums,
  narrowedTemplate: NarrowedTemplate,
  sizes: Iterable<InstanceTypeOption>,
): readonly InstanceTypeOption[] | undefined {
  const missing = [...minimums].map(([key, wanted]) => ({ key, wanted, values: new Set<string>() }))
  const isShort = ({ values, wanted }: (typeof missing)[number]): boolean => values.size < wanted
  const kept: InstanceTypeOption[] = []
  for (const size of sizes) {
    const before = missing.reduce((sum, { values }) => sum + values.size, 0)
    for (const { key, values } of missing.filter(isShort)) for (const value of valuesOn(narrowedTemplate, size, key)) values.add(value)
    if (missing.reduce((sum, { values }) => sum + values.size, 0) > before) kept.push(size)
    if (!missing.some(isShort)) return kept
  }
  return undefined
}

export function relaxed(minimums: Minimums, shortages: readonly Shortage[]): Minimums {
  return new Map([...minimums, ...shortages.map(({ key, had }) => [key, had] as const)])
}
