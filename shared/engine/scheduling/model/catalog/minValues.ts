import type { Requirements } from '../../../../model/requirements.ts'
import { type NarrowedTemplate, valuesOn } from './narrowedTemplate.ts'
import type { InstanceTypeOption } from './template.ts'

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
