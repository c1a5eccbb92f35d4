import { PRICES, type PriceName, type UnitPrice } from './prices.ts'
import { type Installation, type Use, usageOf, type Volumes } from './usage.ts'

/** One line of a monthly bill. */
export type CostLine = Use & {
  readonly unit: string
  /** Price in US dollars of `per` units. */
  readonly usdPer: number
  readonly per: number
  /** The part of the quantity that is free. */
  readonly free: number
  readonly usd: number
}

export function costLines(installation: Installation, volumes: Volumes): readonly CostLine[] {
  return pricedLines(usageOf(installation, volumes))
}

/** Lines with the same price share its free quantity, in their order. */
export function pricedLines(uses: readonly Use[]): readonly CostLine[] {
  const given = new Map<PriceName, number>()
  return uses.map((use) => {
    const price: UnitPrice = PRICES[use.price]
    const left = Math.max(0, (price.free ?? 0) - (given.get(use.price) ?? 0))
    const free = Math.min(left, use.quantity)
    given.set(use.price, (given.get(use.price) ?? 0) + free)
    return { ...use, unit: price.unit, usdPer: price.usd, per: price.per, free, usd: ((use.quantity - free) / price.per) * price.usd }
  })
}

export function totalOf(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { usd }) => sum + usd, 0)
}
