/** The cheapest size that fits: the one place that looks for it. */
import type { Resources } from '../../../../model/resources.ts'
import { type Amounts, fits, fitsWithin } from '../quantities/amounts.ts'
import { isWithin } from './limits.ts'
import type { NarrowedTemplate } from './narrowedTemplate.ts'

/** `ceiling`: the capacity that limits leave a machine. Undefined: as much as it likes. */
type Asked = { readonly total: Amounts; readonly ceiling: Resources | undefined }

/**
 * The first place, `from` or after it, of a size that holds the total, and `more` beside it; the count of places when there is none. Sizes come cheapest
 * first, those of unknown price last, so that the first size that fits is the cheapest.
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

/** So much is free for the total and for more beside it. */
export function isHeld(total: Amounts, more: Amounts | undefined, free: Amounts): boolean {
  return more === undefined ? fits(total, free) : fitsWithin(total, more, free)
}
