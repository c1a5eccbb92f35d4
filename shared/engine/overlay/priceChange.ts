import type { Offering } from '../../model/instanceType.ts'
import type { NodeOverlay } from '../../model/nodeOverlay.ts'
import { microUsdPerHour, usdPerHour } from '../../model/units.ts'

type PriceChange = { readonly price?: string | undefined; readonly priceAdjustment?: string | undefined }

const PRICE = /^\d+(\.\d+)?$/
const ADJUSTMENT = /^[+-](\d*\.?\d+)%?$/

/** The largest price, in USD an hour. It is far more than any machine costs, and small enough to add up the prices of a plan without rounding. */
const MOST_USD = 1_000_000
/** The largest adjustment, in percent: a thousand times the price. The adjusted price stays below the same bound. */
const MOST_PERCENT = 100_000

/** Reports whether price and adjustment have the right form. An absent value is right. */
export function isPriceChange({ price, priceAdjustment }: PriceChange): boolean {
  return (price === undefined || PRICE.test(price)) && (priceAdjustment === undefined || ADJUSTMENT.test(priceAdjustment))
}

/** The bound that the price or the adjustment exceeds: `$1000000/h` or `100000%`. Undefined if neither exceeds its bound. */
export function boundExceeded({ price = '0', priceAdjustment = '+0' }: PriceChange): string | undefined {
  if (Number(price) > MOST_USD) return `$${MOST_USD}/h`
  const by = Math.abs(Number.parseFloat(priceAdjustment))
  if (priceAdjustment.endsWith('%')) return by > MOST_PERCENT ? `${MOST_PERCENT}%` : undefined
  return by > MOST_USD ? `$${MOST_USD}/h` : undefined
}

type Priced = Pick<Offering, 'price' | 'diskPrice'>

/**
 * The price after a change that is within bounds. A price replaces the whole, so that the disk is not apart any more. An adjustment changes the price of
 * the machine, never below 0, and the disk is added as before: the price that upstream adjusts has no disk. An unknown price stays unknown if it is only
 * adjusted.
 */
export function changedPrice(before: Priced, { price, priceAdjustment }: NodeOverlay): Priced {
  if (price !== undefined) return { price: usdPerHour(Number(price)) }
  if (priceAdjustment === undefined || before.price === undefined) return before
  const { diskPrice = 0 } = before
  const machine = before.price - diskPrice
  const isShare = priceAdjustment.endsWith('%')
  const by = Number(isShare ? priceAdjustment.slice(0, -1) : priceAdjustment)
  const changed = Math.max(0, Math.round(isShare ? machine * (1 + by / 100) : machine + by * 1_000_000))
  return { ...before, price: microUsdPerHour(changed + diskPrice) }
}
