/** Returns a quantile of measured values by nearest rank, so it is one of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((first, second) => first - second)
  const rank = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[rank] ?? Number.NaN
}

export type Spread = { readonly count: number; readonly min: number; readonly p50: number; readonly p99: number; readonly max: number }

export function spreadOf(values: readonly number[]): Spread {
  return {
    count: values.length,
    min: Math.round(quantile(values, 0)),
    p50: Math.round(quantile(values, 0.5)),
    p99: Math.round(quantile(values, 0.99)),
    max: Math.round(quantile(values, 1)),
  }
}
