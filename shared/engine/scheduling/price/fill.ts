/** Fills one machine on paper: pod by pod whatever points most along the room that is left. */
import { type Amounts, countFitting, fitsWithin } from '../amounts.ts'
import type { Combination } from '../catalog/combination.ts'
import type { Size } from '../catalog/template.ts'
import { combinedWith, type Item, type Shape } from './items.ts'
import { createNeighbours } from './neighbours.ts'

export type Filled = {
  readonly combination: Combination
  readonly contents: readonly { readonly item: Item; readonly count: number }[]
  readonly total: Amounts
  readonly worth: number
}

export type FillInput = {
  readonly shapes: readonly Shape[]
  /** All that waits, on each axis. */
  readonly demand: Amounts
  readonly worth: ReadonlyMap<Item, number>
  /** The least any shape takes of each axis: with less left a machine is full. */
  readonly least: Amounts
  /** Shapes that need many machines: each machine begins with one of them. */
  readonly slotShapes: ReadonlySet<Shape>
}

/** Of a large number of equal pods at most this share of the room at a time, so that others are mixed in. */
const SHARE_AT_A_TIME = 4

export function fill(seed: Combination, size: Size, input: FillInput, steps: { count: number }): Filled {
  const { shapes, demand, worth, least, slotShapes } = input
  const axes = size.free.length
  const left = Float64Array.from(size.free)
  const total = new Float64Array(axes)
  const taken = new Map<Item, number>()
  const neighbours = createNeighbours()
  const weights = weightsOf(size, demand)
  const closed = new Uint8Array(shapes.length)
  let combination = seed
  let sum = 0
  const needsSlot = shapes.some((shape) => slotShapes.has(shape))
  while (fitsWithin(NOTHING, least, left)) {
    const at = bestShape(shapes, left, weights, closed, needsSlot && taken.size === 0 ? slotShapes : undefined)
    steps.count += shapes.length
    const shape = shapes[at]
    if (shape === undefined) break
    const joined = takeOne(shape, combination, size, taken, neighbours, left)
    if (joined === undefined) {
      closed[at] = 1
      continue
    }
    combination = joined.combination
    for (let axis = 0; axis < axes; axis++) {
      const amount = (shape.amounts[axis] ?? 0) * joined.count
      left[axis] = (left[axis] ?? 0) - amount
      total[axis] = (total[axis] ?? 0) + amount
    }
    sum += (worth.get(joined.item) ?? 0) * joined.count
  }
  return { combination, contents: [...taken].map(([item, count]) => ({ item, count })), total, worth: sum }
}

/**
 * A resource counts by how scarce it is: its share of the machine against its share of what waits. Squared shares, so that amounts and room
 * left are both taken against the whole machine.
 */
function weightsOf(size: Size, demand: Amounts): Float64Array {
  const load = Float64Array.from(demand, (asked, axis) => {
    const whole = size.free[axis] ?? 0
    return Number.isFinite(whole) && whole > 0 ? asked / whole : 0
  })
  const most = Math.max(...load, Number.MIN_VALUE)
  return load.map((share, axis) => (share === 0 ? 0 : share / most / (size.free[axis] ?? 1) ** 2))
}

const NOTHING: Amounts = new Float64Array()

function bestShape(
  shapes: readonly Shape[],
  left: Amounts,
  weights: Float64Array,
  closed: Uint8Array,
  among: ReadonlySet<Shape> | undefined,
): number {
  let found = -1
  let best = -1
  for (let at = 0; at < shapes.length; at++) {
    const shape = shapes[at]
    if (closed[at] === 1 || shape === undefined || (among !== undefined && !among.has(shape))) continue
    const score = scoreOf(shape.amounts, left, weights)
    if (score < 0) closed[at] = 1
    else if (score > best) {
      best = score
      found = at
    }
  }
  return found
}

/** How far the amounts point along the room that is left; negative when they exceed it. */
function scoreOf(amounts: Amounts, left: Amounts, weights: Float64Array): number {
  let score = 0
  for (let axis = 0; axis < weights.length; axis++) {
    const amount = amounts[axis] ?? 0
    const room = left[axis] ?? 0
    if (amount > room) return -1
    if (amount > 0) score += (weights[axis] ?? 0) * amount * room
  }
  return score
}

type Joined = { readonly item: Item; readonly count: number; readonly combination: Combination }

function takeOne(
  shape: Shape,
  combination: Combination,
  size: Size,
  taken: Map<Item, number>,
  neighbours: ReturnType<typeof createNeighbours>,
  left: Amounts,
): Joined | undefined {
  const room = countFitting(NOTHING, shape.amounts, left, MANY)
  for (const item of shape.items) {
    const waiting = item.count - (taken.get(item) ?? 0)
    if (waiting <= 0) continue
    const allowed = Math.min(waiting, neighbours.room(item), Math.max(1, Math.floor(room / SHARE_AT_A_TIME)))
    if (allowed <= 0) continue
    const combined = combinedWith(combination, item)
    if (combined === undefined || !serves(combined, combination, size)) continue
    taken.set(item, (taken.get(item) ?? 0) + allowed)
    neighbours.join(item, allowed)
    return { item, count: allowed, combination: combined }
  }
  return undefined
}

const MANY = 1e6

/** The item must not make the machine dearer than it was chosen for. */
function serves(combined: Combination, before: Combination, size: Size): boolean {
  if (combined === before) return true
  const place = combined.order.indexOf(size)
  return place >= 0 && combined.best[place]?.price === before.best[before.order.indexOf(size)]?.price
}
