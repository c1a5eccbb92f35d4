import { ownValue, setOwnValue } from '../base/values.ts'
import { formatAmount } from './quantity.ts'

/**
 * Quantities by resource name, as integers in the unit of the resource: `cpu` in milli CPU, `memory`, `ephemeral-storage` and `hugepages-*` in bytes,
 * everything else (`pods`, `nvidia.com/gpu`) as a count. A fraction is rounded up when it is parsed. An absent resource is zero.
 */
export type Resources = { readonly [resource: string]: number }

export const NO_RESOURCES: Resources = {}

/** Returns the sum by resource. */
export function add(first: Resources, second: Resources): Resources {
  return merged(first, second, (one, other) => one + other)
}

/** Returns `left` minus `right`, for the resources of `left`. */
export function subtract(left: Resources, right: Resources): Resources {
  const result: Mutable = {}
  for (const name in left) setOwnValue(result, name, amountOf(left, name) - amountOf(right, name))
  return result
}

export function sum(parts: Iterable<Resources>): Resources {
  const result: Mutable = {}
  for (const part of parts) addTo(result, part)
  return result
}

/** Returns the larger amount of each resource in either argument. */
export function maxOf(first: Resources, second: Resources): Resources {
  return merged(first, second, Math.max)
}

/** Returns the smaller amount of each resource in both arguments. */
export function minOf(first: Resources, second: Resources): Resources {
  const result: Mutable = {}
  for (const name in first)
    if (ownValue(second, name) !== undefined) setOwnValue(result, name, Math.min(amountOf(first, name), amountOf(second, name)))
  return result
}

/** Reports whether every request is free. Nothing fits if any free amount is negative, even of a resource that is not requested. */
export function fits(requests: Resources, free: Resources): boolean {
  for (const name in free) if (amountOf(free, name) < 0) return false
  for (const name in requests) if (amountOf(requests, name) > amountOf(free, name)) return false
  return true
}

export function nonZero(resources: Resources): Resources {
  const result: Mutable = {}
  for (const name in resources) if (amountOf(resources, name) !== 0) setOwnValue(result, name, amountOf(resources, name))
  return result
}

export function isZero(resources: Resources): boolean {
  for (const name in resources) if (amountOf(resources, name) !== 0) return false
  return true
}

export function amountOf(resources: Resources, name: string): number {
  return ownValue(resources, name) ?? 0
}

type Mutable = { [resource: string]: number }

function merged(first: Resources, second: Resources, combine: (one: number, other: number) => number): Resources {
  const result: Mutable = {}
  for (const name in first) {
    const other = ownValue(second, name)
    setOwnValue(result, name, other === undefined ? amountOf(first, name) : combine(amountOf(first, name), other))
  }
  for (const name in second) if (ownValue(first, name) === undefined) setOwnValue(result, name, amountOf(second, name))
  return result
}

function addTo(total: Mutable, part: Resources): void {
  for (const name in part) setOwnValue(total, name, amountOf(total, name) + amountOf(part, name))
}

/**
 * A message for each negative amount. `path`: the field with the amounts. Published definitions accept such amounts, and those of the chart do not.
 */
export function negativeAmounts(amounts: Resources, path: string): readonly string[] {
  return Object.entries(amounts).flatMap(([name, amount]) =>
    amount < 0
      ? [`${path}[${JSON.stringify(name)}]: ${formatAmount(name, amount)} is negative; write an amount of at least 0, or remove it`]
      : [],
  )
}
