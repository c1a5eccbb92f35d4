import type { NodeOverlay } from '../../model/nodeOverlay.ts'
import { type MicroUsdPerHour, microUsdPerHour, usdPerHour } from '../../model/units.ts'

type PriceChange = { readonly price?: string | undefined; readonly priceAdjustment?: string | undefined }

const PRICE = /^\d+(\.\d+)?$/
const ADJUSTMENT = /^[+-](\d*\.?\d+)%?$/

/** Far more than any machine costs, and so little that the prices of a plan add up without a rounding. */
const MOST_USD = 1_000_000
/** A thousand times over: what it is added to stays below the same bound. */
const MOST_PERCENT = 100_000

/** True when both are written as prices and adjustments are, or absent. */
export function isPriceChange({ price, priceAdjustment }: PriceChange): boolean {
  return (price === undefined || PRICE.test(price)) && (priceAdjustment === undefined || ADJUSTMENT.test(priceAdjustment))
}

/** The most that a price or an adjustment may come to, when one of them comes to more: `$1000000/h` or `100000%`. */
export function boundExceeded({ price = '0', priceAdjustment = '+0' }: PriceChange): string | undefined {
  if (Number(price) > MOST_USD) return `$${MOST_USD}/h`
  const by = Math.abs(Number.parseFloat(priceAdjustment))
  if (priceAdjustment.endsWith('%')) return by > MOST_PERCENT ? `${MOST_PERCENT}%` : undefined
  return by > MOST_USD ? `$${MOST_USD}/h` : undefined
}

/** The price after the change, which is within bounds: never below nothing. An unknown price stays unknown when it is only adjusted. */
export function changedPrice(before: MicroUsdPerHour | undefined, { price, priceAdjustment }: NodeOverlay): MicroUsdPerHour | undefined {
  if (price !== undefined) return usdPerHour(Number(price))
  if (priceAdjustment === undefined || before === undefined) return before
  const isShare = priceAdjustment.endsWith('%')
  const by = Number(isShare ? priceAdjustment.slice(0, -1) : priceAdjustment)
  return microUsdPerHour(Math.max(0, Math.round(isShare ? before * (1 + by / 100) : before + by * 1_000_000)))
}
