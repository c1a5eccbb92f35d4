import { InternalError } from '../base/result.ts'
import { type Branded, branded } from '../base/values.ts'

/** A thousandth of a CPU. */
export type MilliCpu = Branded<number, 'MilliCpu'>
export type Bytes = Branded<number, 'Bytes'>
/** A millionth of a US dollar per hour. Keeps three digits of the price of the cheapest spot size. */
export type MicroUsdPerHour = Branded<number, 'MicroUsdPerHour'>
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = Branded<number, 'EpochMs'>
export type DurationMs = Branded<number, 'DurationMs'>

export const milliCpu = (value: number): MilliCpu => branded<MilliCpu>(integer(value))
export const bytes = (value: number): Bytes => branded<Bytes>(integer(value))
export const microUsdPerHour = (value: number): MicroUsdPerHour => branded<MicroUsdPerHour>(integer(value))
export const epochMs = (value: number): EpochMs => branded<EpochMs>(integer(value))
export const durationMs = (value: number): DurationMs => branded<DurationMs>(integer(value))

export function usdPerHour(usd: number): MicroUsdPerHour {
  return microUsdPerHour(Math.round(usd * 1_000_000))
}

export function addPrices(first: MicroUsdPerHour, second: MicroUsdPerHour): MicroUsdPerHour {
  return microUsdPerHour(first + second)
}

export function later(instant: EpochMs, by: DurationMs): EpochMs {
  return epochMs(instant + by)
}

/** Returns the time from `start` to `end`. Negative if the clocks disagree or the order is wrong. */
export function elapsed(start: EpochMs, end: EpochMs): DurationMs {
  return durationMs(end - start)
}

/** Formats a price: `$0.061/h`. Four decimals below a dollar, without up to two trailing zeros. Two decimals from a dollar. */
export function formatPrice(price: MicroUsdPerHour): string {
  const usd = price / 1_000_000
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toFixed(4).replace(/0{1,2}$/, '')}/h`
}

/** The price in dollars as a plain decimal, which is a label value: `0.061`. */
export function priceToLabel(price: MicroUsdPerHour): string {
  return (price / 1_000_000).toFixed(6).replace(/\.?0+$/, '')
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new InternalError(`${value} is not a safe integer`)
  return value
}
