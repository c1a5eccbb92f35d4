/**
 * Quantities by resource name, as integers in the resource's own unit: `cpu` in milli CPU, `memory`, `ephemeral-storage`
 * and `hugepages-*` in bytes, everything else (`pods`, `nvidia.com/gpu`) as a count. A fraction is rounded up when parsed.
 * Absent means zero.
 */
export type Resources = { readonly [resource: string]: number }

export const NO_RESOURCES: Resources = {}

/** The sum by resource. */
export function add(first: Resources, second: Resources): Resources {
  return merged(first, second, (one, other) => one + other)
}

/** What is left of `left`; a resource only `right` names does not appear. */
export function subtract(left: Resources, right: Resources): Resources {
  const result: Mutable = {}
  for (const name in left) result[name] = amountOf(left, name) - amountOf(right, name)
  return result
}

export function sum(parts: Iterable<Resources>): Resources {
  const result: Mutable = {}
  for (const part of parts) addTo(result, part)
  return result
}

/** The larger amount of each resource either names. */
export function maxOf(first: Resources, second: Resources): Resources {
  return merged(first, second, Math.max)
}

/** The smaller amount of each resource both name. */
export function minOf(first: Resources, second: Resources): Resources {
  const result: Mutable = {}
  for (const name in first) if (second[name] !== undefined) result[name] = Math.min(amountOf(first, name), amountOf(second, name))
  return result
}

/** True when every request is there; nothing fits a place that is overdrawn in any resource, even one not asked for. */
export function fits(requests: Resources, free: Resources): boolean {
  for (const name in free) if (amountOf(free, name) < 0) return false
  for (const name in requests) if (amountOf(requests, name) > amountOf(free, name)) return false
  return true
}

export function nonZero(resources: Resources): Resources {
  const result: Mutable = {}
  for (const name in resources) if (resources[name] !== 0) result[name] = amountOf(resources, name)
  return result
}

export function isZero(resources: Resources): boolean {
  for (const name in resources) if (resources[name] !== 0) return false
  return true
}

export function amountOf(resources: Resources, name: string): number {
  return resources[name] ?? 0
}

type Mutable = { [resource: string]: number }

function merged(first: Resources, second: Resources, combine: (one: number, other: number) => number): Resources {
  const result: Mutable = {}
  for (const name in first) result[name] = second[name] === undefined ? amountOf(first, name) : combine(amountOf(first, name), second[name])
  for (const name in second) if (first[name] === undefined) result[name] = amountOf(second, name)
  return result
}

function addTo(total: Mutable, part: Resources): void {
  for (const name in part) total[name] = (total[name] ?? 0) + amountOf(part, name)
}
