import type { Requirements } from '../../../model/requirements.ts'
import type { Size } from './template.ts'

/** The least number of distinct values a claim must keep, by label key. */
export type Minimums = ReadonlyMap<string, number>

export type Shortage = { readonly key: string; readonly wanted: number; readonly had: number }

export function minimumsOf(requirements: Requirements): Minimums {
  const minimums = new Map<string, number>()
  for (const { key, minValues } of requirements.values()) if (minValues !== undefined) minimums.set(key, minValues)
  return minimums
}

/** Keys for which the sizes offer too few values. Values count as the size states them, wherever the claim may go. */
export function shortagesOf(minimums: Minimums, sizes: readonly Size[]): readonly Shortage[] {
  const shortages: Shortage[] = []
  for (const [key, wanted] of minimums) {
    const values = new Set<string>()
    for (const size of sizes) for (const value of size.requirements.get(key)?.values ?? []) values.add(value)
    if (values.size < wanted) shortages.push({ key, wanted, had: values.size })
  }
  return shortages
}

export function relaxed(minimums: Minimums, shortages: readonly Shortage[]): Minimums {
  return new Map([...minimums, ...shortages.map(({ key, had }) => [key, had] as const)])
}
