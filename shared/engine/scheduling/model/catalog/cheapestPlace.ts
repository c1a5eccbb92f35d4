/** Finds the cheapest size that fits. All searches for it go through this file. */
import type { Resources } from '../../../../model/resources.ts'
import { type Amounts, fits, fitsWithin } from '../quantities/amounts.ts'
import { isWithin } from './limits.ts'
import type { NarrowedTemplate } from './narrowedTemplate.ts'

/** `ceiling`: the most capacity that limits allow one machine. Undefined if there is no limit. */
type Asked = { readonly total: Amounts; readonly ceiling: Resources | undefined }

/**
 * Returns the first place, `from` or later, of a size that holds the total and `more` beside it. Returns the count of places if there is none.
 * Sizes come cheapest first and sizes of unknown price last, so the first size that fits is the cheapest.
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
