import type { Resources } from '../../model/resources.ts'

/** Resources as numbers in the order of the axes: what the hot loops add and compare. */
export type Amounts = readonly number[]

/** The resources any pod of a decision asks for. */
export type Axes = { readonly names: readonly string[]; amounts(resources: Resources): Amounts }

export function axesOf(requests: Iterable<Resources>): Axes {
  const found = new Set<string>()
  for (const each of requests) for (const name in each) found.add(name)
  const names = [...found].sort()
  return { names, amounts: (resources) => names.map((name) => resources[name] ?? 0) }
}

/** A buffer of nothing on every axis. */
export function zeros(axes: number): number[] {
  const buffer: number[] = []
  for (let axis = 0; axis < axes; axis++) buffer.push(0)
  return buffer
}

export function fitsWithin(total: Amounts, request: Amounts, free: Amounts): boolean {
  for (let axis = 0; axis < free.length; axis++) if ((total[axis] ?? 0) + (request[axis] ?? 0) > (free[axis] ?? 0)) return false
  return true
}

/** How many of `request` fit beside `total`, at most `most`. */
export function countFitting(total: Amounts, request: Amounts, free: Amounts, most: number): number {
  let count = most
  for (let axis = 0; axis < free.length && count > 0; axis++) {
    const each = request[axis] ?? 0
    const left = (free[axis] ?? 0) - (total[axis] ?? 0)
    if (each > 0) count = Math.min(count, Math.floor(left / each))
    else if (left < 0) count = 0
  }
  return Math.max(0, count)
}

/** Adds `count` times `request` to a buffer of the caller. */
export function addTimes(total: number[], request: Amounts, count: number): void {
  for (let axis = 0; axis < total.length; axis++) total[axis] = (total[axis] ?? 0) + (request[axis] ?? 0) * count
}

/** The largest share of `free` that `request` takes on any axis. */
export function largestShare(request: Amounts, free: Amounts): number {
  let share = 0
  for (let axis = 0; axis < free.length; axis++) {
    const each = request[axis] ?? 0
    if (each > 0) share = Math.max(share, each / Math.max(free[axis] ?? 0, Number.MIN_VALUE))
  }
  return share
}
