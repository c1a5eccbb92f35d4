/** A claim that is being filled. Hot code: a bin is a buffer of the plan that makes it and is changed in place. */
import type { Offering } from '../../model/instanceType.ts'
import type { Resources } from '../../model/resources.ts'
import { type Amounts, addTimes, fitsWithin, zeros } from './amounts.ts'
import { type Combination, withConstraint } from './combination.ts'
import { isWithin } from './limits.ts'
import { type Minimums, shortagesOf } from './minValues.ts'
import type { PodGroup } from './podGroups.ts'
import type { Size } from './template.ts'

export type Bin = {
  combination: Combination
  readonly total: number[]
  readonly counts: Map<PodGroup, number>
  podCount: number
  readonly minimums: Minimums
  /** No size above this may be named: what the pool's limits had left for it. Undefined: no limits. */
  readonly ceiling: Resources | undefined
  /** What it took of the pool's limits. */
  readonly charge: Resources
  /** Sizes before this one in the combination's order are too small. */
  cursor: number
}

export type BinStart = Pick<Bin, 'combination' | 'minimums' | 'ceiling' | 'charge'>

/** Where one more pod would leave the bin. */
export type Fit = { readonly combination: Combination; readonly cursor: number }

export function openBin(start: BinStart, axes: number): Bin {
  return { ...start, total: zeros(axes), counts: new Map(), podCount: 0, cursor: 0 }
}

export function fitOf(bin: Bin, group: PodGroup): Fit | undefined {
  const combination = withConstraint(bin.combination, group.constraint)
  if (combination === undefined) return undefined
  const cursor = firstFitting(bin, combination, group.amounts, combination === bin.combination ? bin.cursor : 0)
  if (cursor >= combination.order.length) return undefined
  const isShort = bin.minimums.size > 0 && shortagesOf(bin.minimums, survivorsOf(bin, combination, group.amounts)).length > 0
  return isShort ? undefined : { combination, cursor }
}

export function putInto(bin: Bin, group: PodGroup, count: number, fit: Fit): void {
  bin.combination = fit.combination
  bin.cursor = fit.cursor
  addTimes(bin.total, group.amounts, count)
  bin.counts.set(group, (bin.counts.get(group) ?? 0) + count)
  bin.podCount += count
}

/** The cheapest size that serves, and its offering. */
export function cheapestOf(bin: Bin): { readonly size: Size; readonly offering: Offering } | undefined {
  const { order, best } = bin.combination
  bin.cursor = firstFitting(bin, bin.combination, NONE, bin.cursor)
  const size = order[bin.cursor]
  const offering = size === undefined ? undefined : best[size.index]
  return size === undefined || offering === undefined ? undefined : { size, offering }
}

/** Every size that serves, cheapest first. */
export function survivorsOf(bin: Bin, combination: Combination = bin.combination, more: Amounts = NONE): readonly Size[] {
  return combination.order.filter((size) => fitsWithin(bin.total, more, size.free) && isWithin(size.type.capacity, bin.ceiling))
}

const NONE: Amounts = []

function firstFitting(bin: Bin, { order, largest }: Combination, more: Amounts, from: number): number {
  if (!fitsWithin(bin.total, more, largest)) return order.length
  for (let at = from; at < order.length; at++) {
    const size = order[at]
    if (size !== undefined && fitsWithin(bin.total, more, size.free) && isWithin(size.type.capacity, bin.ceiling)) return at
  }
  return order.length
}
