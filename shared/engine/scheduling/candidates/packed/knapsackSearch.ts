/**
 * The depth-first search for the best set of a knapsack. Rows of the highest worth for their room come first, and most pods of a row come first. Hot
 * code: a search is a buffer.
 */

import type { Work } from '../../model/quantities/work.ts'
import type { Count } from './restrictedMaster.ts'

export const ROUNDING = 1e-9

/** The rows of which a machine may hold pods. `shares`: what one pod of each row takes, by axis, as shares of the machine. */
export type Fits = {
  readonly rows: Int32Array
  readonly shares: Float64Array
  /** The most pods of each row. */
  readonly most: Int32Array
  /** The places of the rows above in the order of the last search. A buffer. */
  readonly order: number[]
}

/** All arrays but `left` and `best` are by the place of a row in the order of the search. */
type Search = {
  /** The number of rows. */
  readonly size: number
  readonly axes: number
  readonly shares: Float64Array
  readonly most: Float64Array
  readonly values: Float64Array
  /** What a pod is worth beyond the room that it takes. */
  readonly gains: Float64Array
  /** The most that the rows from each row on may add to the worth of the room. */
  readonly beyond: Float64Array
  /** What is left of the machine, by axis. */
  readonly left: Float64Array
  readonly counts: Int32Array
  best: Int32Array | undefined
  /** The worth of the best set. */
  worth: number
  /** The number of sets that may still be looked at. */
  unseen: number
}

/** The best set that is worth more than `enough`. Looks at `sets` sets at most. */
export function bestSet(
  fits: Fits,
  values: Float64Array,
  weights: Float64Array,
  { enough, sets }: { readonly enough: number; readonly sets: number },
  work: Work,
): readonly Count[] | undefined {
  const search = searchOf(fits, values, weights, enough, sets)
  let room = 0
  for (let axis = 0; axis < weights.length; axis++) room += weights[axis] ?? 0
  visit(search, 0, 0, room)
  work.shapes += sets - Math.max(0, search.unseen)
  const { best } = search
  return best && [...best].flatMap((count, at) => (count > 0 ? [[fits.rows[fits.order[at] ?? 0] ?? 0, count] as const] : []))
}

/** What a pod is worth beyond the room that it takes, at the weights of the room. `start`: the index of its first share. */
export function gainAt(start: number, shares: Float64Array, value: number, weights: Float64Array): number {
  let gain = value
  for (let axis = 0; axis < weights.length; axis++) gain -= (shares[start + axis] ?? 0) * (weights[axis] ?? 0)
  return gain
}

function searchOf(fits: Fits, valueOf: Float64Array, weights: Float64Array, enough: number, sets: number): Search {
  const axes = weights.length
  const gainOf = new Float64Array(valueOf.length)
  for (let at = 0; at < gainOf.length; at++) gainOf[at] = gainAt(at * axes, fits.shares, valueOf[at] ?? 0, weights)
  const size = putInOrder(fits.order, valueOf, gainOf)
  const order = fits.order.slice(0, size)
  const most = Float64Array.from(order, (from) => fits.most[from] ?? 0)
  const gains = Float64Array.from(order, (from) => gainOf[from] ?? 0)
  const shares = new Float64Array(size * axes)
  const beyond = new Float64Array(size + 1)
  for (let at = size - 1; at >= 0; at--) {
    const start = (order[at] ?? 0) * axes
    for (let axis = 0; axis < axes; axis++) shares[at * axes + axis] = fits.shares[start + axis] ?? 0
    beyond[at] = (beyond[at + 1] ?? 0) + Math.max(0, gains[at] ?? 0) * (most[at] ?? 0)
  }
  return {
    size,
    axes,
    shares,
    most,
    values: Float64Array.from(order, (from) => valueOf[from] ?? 0),
    gains,
    beyond,
    left: new Float64Array(axes).fill(1),
    counts: new Int32Array(size),
    best: undefined,
    worth: enough,
    unseen: sets,
  }
}

/** Puts rows that are worth most for their room first. Rows without a dual value come last. Returns the number of the other rows. */
function putInOrder(order: number[], valueOf: Float64Array, gainOf: Float64Array): number {
  const ratioOf = valueOf.map((value, at) => value / Math.max(ROUNDING, value - (gainOf[at] ?? 0)))
  order.sort((one, other) => (ratioOf[other] ?? 0) - (ratioOf[one] ?? 0))
  let size = 0
  for (let at = 0; at < valueOf.length; at++) if ((valueOf[at] ?? 0) > 0) size++
  return size
}

/** `value`: the worth of the pods so far. `room`: what is left of the machine, at its weights. */
function visit(search: Search, from: number, value: number, room: number): void {
  if (value > search.worth) {
    search.worth = value
    search.best = search.counts.slice()
  }
  const at = nextFitting(search, from, value + room)
  if (at < search.size) branch(search, at, value, room)
}

/** The first row from this one on of which a pod fits. The number of rows if there is none, or if no better set can come of it. */
function nextFitting(search: Search, from: number, atMost: number): number {
  const { size, beyond } = search
  for (let at = from; at < size && atMost + (beyond[at] ?? 0) > search.worth; at++) if (isFitting(search, at)) return at
  return size
}

/** Takes pods of the row, as many as fit, and then fewer and fewer. */
function branch(search: Search, at: number, value: number, room: number): void {
  const each = search.values[at] ?? 0
  const gain = search.gains[at] ?? 0
  const beyond = search.beyond[at + 1] ?? 0
  let count = fitting(search, at)
  take(search, at, count)
  for (; ; count--) {
    const now = value + count * each
    const rest = room - count * (each - gain)
    const isHopeless = now + rest + beyond <= search.worth
    if (!isHopeless && search.unseen-- > 0) {
      search.counts[at] = count
      visit(search, at + 1, now, rest)
    }
    // Fewer of a pod that is worth more than its room cannot be better.
    if (count === 0 || search.unseen <= 0 || (isHopeless && gain >= 0)) break
    take(search, at, -1)
  }
  take(search, at, -count)
  search.counts[at] = 0
}

function take({ axes, shares, left }: Search, at: number, count: number): void {
  const start = at * axes
  for (let axis = 0; axis < axes; axis++) left[axis] = (left[axis] ?? 0) - count * (shares[start + axis] ?? 0)
}

/** Reports whether one pod of the row fits. */
function isFitting({ axes, shares, left }: Search, at: number): boolean {
  const start = at * axes
  for (let axis = 0; axis < axes; axis++) if ((left[axis] ?? 0) < (1 - ROUNDING) * (shares[start + axis] ?? 0)) return false
  return true
}

/** The number of pods of the row that fit. */
function fitting({ axes, shares, left, most }: Search, at: number): number {
  const start = at * axes
  let count = most[at] ?? 0
  for (let axis = 0; axis < axes; axis++) {
    const share = shares[start + axis] ?? 0
    if (share > 0) count = Math.min(count, Math.floor((left[axis] ?? 0) / share + ROUNDING))
  }
  return Math.max(0, count)
}
