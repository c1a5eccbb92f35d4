/**
 * The depth-first search for the best set of a knapsack. Rows of the highest worth for their room come first, and most pods of a row come first. Hot
 * code: numbers of all rows are in arrays, one row after another, and each search uses the arrays of the search before.
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
}

/** What a pod is worth beyond the room that it takes, at the weights of the room. `start`: the index of its first share. */
export function gainAt(start: number, shares: Float64Array, value: number, weights: Float64Array): number {
  let gain = value
  for (let axis = 0; axis < weights.length; axis++) gain -= (shares[start + axis] ?? 0) * (weights[axis] ?? 0)
  return gain
}

/** A class because each decision makes some and asks them hundreds of times: compiled code stays valid for the next ones. */
export class KnapsackSearch {
  private readonly fits: Fits
  private readonly axes: number
  /** The places of the rows above in the order of the last search. */
  private readonly order: Int32Array
  private readonly gainOf: Float64Array
  private readonly ratioOf: Float64Array
  // By the place of a row in the order of the search. `gains`: what a pod is worth beyond its room. `beyond`: the most that the rows from each row on
  // may add to the worth of the room.
  private readonly shares: Float64Array
  private readonly most: Int32Array
  private readonly values: Float64Array
  private readonly gains: Float64Array
  private readonly beyond: Float64Array
  private readonly counts: Int32Array
  private readonly best: Int32Array
  /** What is left of the machine, by axis. */
  private readonly left: Float64Array
  /** The number of rows with a dual value. */
  private size = 0
  private worth = 0
  /** The number of sets that may still be looked at. */
  private unseen = 0

  constructor(fits: Fits, axes: number) {
    const { length } = fits.rows
    this.fits = fits
    this.axes = axes
    this.order = Int32Array.from(fits.rows.keys())
    this.gainOf = new Float64Array(length)
    this.ratioOf = new Float64Array(length)
    this.shares = new Float64Array(length * axes)
    this.most = new Int32Array(length)
    this.values = new Float64Array(length)
    this.gains = new Float64Array(length)
    this.beyond = new Float64Array(length + 1)
    this.counts = new Int32Array(length)
    this.best = new Int32Array(length)
    this.left = new Float64Array(axes)
  }

  /** The best set that is worth more than `enough`. Looks at `sets` sets at most. `valueOf`: the dual value of a pod, by row of the fits. */
  bestSet(valueOf: Float64Array, weights: Float64Array, enough: number, sets: number, work: Work): readonly Count[] | undefined {
    this.putInOrder(valueOf, weights)
    this.setUp(valueOf)
    this.worth = enough
    this.unseen = sets
    let room = 0
    for (let axis = 0; axis < weights.length; axis++) room += weights[axis] ?? 0
    this.visit(0, 0, room)
    work.shapes += sets - Math.max(0, this.unseen)
    return this.worth > enough ? this.found() : undefined
  }

  private found(): readonly Count[] {
    const found: Count[] = []
    for (let at = 0; at < this.size; at++) {
      const count = this.best[at] ?? 0
      if (count > 0) found.push([this.fits.rows[this.order[at] ?? 0] ?? 0, count])
    }
    return found
  }

  /** Puts rows that are worth most for their room first. Rows without a dual value come last. The order of the last search is nearly the next one. */
  private putInOrder(valueOf: Float64Array, weights: Float64Array): void {
    const { order, gainOf, ratioOf, axes, fits } = this
    this.size = 0
    for (let row = 0; row < valueOf.length; row++) {
      const value = valueOf[row] ?? 0
      const gain = gainAt(row * axes, fits.shares, value, weights)
      gainOf[row] = gain
      ratioOf[row] = value / Math.max(ROUNDING, value - gain)
      if (value > 0) this.size++
    }
    for (let at = 1; at < order.length; at++) {
      const row = order[at] ?? 0
      const ratio = ratioOf[row] ?? 0
      let to = at
      for (; to > 0 && (ratioOf[order[to - 1] ?? 0] ?? 0) < ratio; to--) order[to] = order[to - 1] ?? 0
      order[to] = row
    }
  }

  private setUp(valueOf: Float64Array): void {
    const { axes, fits, order, shares, most, values, gains, beyond } = this
    beyond[this.size] = 0
    for (let at = this.size - 1; at >= 0; at--) {
      const row = order[at] ?? 0
      const gain = this.gainOf[row] ?? 0
      gains[at] = gain
      values[at] = valueOf[row] ?? 0
      most[at] = fits.most[row] ?? 0
      for (let axis = 0; axis < axes; axis++) shares[at * axes + axis] = fits.shares[row * axes + axis] ?? 0
      beyond[at] = (beyond[at + 1] ?? 0) + Math.max(0, gain) * (most[at] ?? 0)
    }
    this.left.fill(1)
    this.counts.fill(0)
  }

  /** `value`: the worth of the pods so far. `room`: what is left of the machine, at its weights. */
  private visit(from: number, value: number, room: number): void {
    if (value > this.worth) {
      this.worth = value
      this.best.set(this.counts)
    }
    const at = this.nextFitting(from, value + room)
    if (at < this.size) this.branch(at, value, room)
  }

  /** The first row from this one on of which a pod fits. The number of rows if there is none, or if no better set can come of it. */
  private nextFitting(from: number, atMost: number): number {
    const { size, beyond } = this
    for (let at = from; at < size && atMost + (beyond[at] ?? 0) > this.worth; at++) if (this.isFitting(at)) return at
    return size
  }

  /** Takes pods of the row, as many as fit, and then fewer and fewer. */
  private branch(at: number, value: number, room: number): void {
    const each = this.values[at] ?? 0
    const gain = this.gains[at] ?? 0
    const beyond = this.beyond[at + 1] ?? 0
    let count = this.fitting(at)
    this.take(at, count)
    for (; ; count--) {
      const now = value + count * each
      const rest = room - count * (each - gain)
      const isHopeless = now + rest + beyond <= this.worth
      if (!isHopeless && this.unseen-- > 0) {
        this.counts[at] = count
        this.visit(at + 1, now, rest)
      }
      // Fewer of a pod that is worth more than its room cannot be better.
      if (count === 0 || this.unseen <= 0 || (isHopeless && gain >= 0)) break
      this.take(at, -1)
    }
    this.take(at, -count)
    this.counts[at] = 0
  }

  private take(at: number, count: number): void {
    const { axes, shares, left } = this
    const start = at * axes
    for (let axis = 0; axis < axes; axis++) left[axis] = (left[axis] ?? 0) - count * (shares[start + axis] ?? 0)
  }

  /** Reports whether one pod of the row fits. */
  private isFitting(at: number): boolean {
    const { axes, shares, left } = this
    const start = at * axes
    for (let axis = 0; axis < axes; axis++) if ((left[axis] ?? 0) < (1 - ROUNDING) * (shares[start + axis] ?? 0)) return false
    return true
  }

  /** The number of pods of the row that fit. */
  private fitting(at: number): number {
    const { axes, shares, left } = this
    const start = at * axes
    let count = this.most[at] ?? 0
    for (let axis = 0; axis < axes; axis++) {
      const share = shares[start + axis] ?? 0
      if (share > 0) count = Math.min(count, Math.floor((left[axis] ?? 0) / share + ROUNDING))
    }
    return Math.max(0, count)
  }
}
