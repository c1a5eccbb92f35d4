import type { NodeOverlay } from '../../model/nodeOverlay.ts'
import { type MicroUsdPerHour, microUsdPerHour, usdPerHour } from '../../model/units.ts'

type PriceChange = { readonly price?: string | undefined; readonly priceAdjustment?: string | undefined }

const PRICE = /^\d+(\.\d+)?$/
const ADJUSTMENT = /^[+-](\d*\.?\d+)%?$/

/** True when both are written as prices and adjustments are, or absent. */
export function isPriceChange({ price, priceAdjustment }: PriceChange): boolean {
  return (price === undefined || PRICE.test(price)) && (priceAdjustment === undefined || ADJUSTMENT.test(priceAdjustment))
}

/** The price after the change: never below nothing. An unknown price stays unknown when it is only adjusted. */
export function changedPrice(before: MicroUsdPerHour | undefined, { price, priceAdjustment }: NodeOverlay): MicroUsdPerHour | undefined {
  if (price !== undefined) return usdPerHour(Number(price))
  if (priceAdjustment === undefined || before === undefined) return before
  const isShare = priceAdjustment.endsWith('%')
  const by = Number(isShare ? priceAdjustment.slice(0, -1) : priceAdjustment)
  return microUsdPerHour(Math.max(0, Math.round(isShare ? before * (1 + by / 100) : before + by * 1_000_000)))
}
