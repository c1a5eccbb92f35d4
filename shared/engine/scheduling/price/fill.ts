/** Fills one machine on paper: pod by pod whatever points most along the room that is left. */
import { type Amounts, countFitting, fitsWithin } from '../amounts.ts'
import { type Combination, priceOf } from '../catalog/combination.ts'
import type { Size } from '../catalog/template.ts'
import { type Item, joinedWith, type Shape } from './items.ts'
import type { Neighbours } from './neighbours.ts'

export type Filled = {
  readonly combination: Combination
  readonly contents: readonly Content[]
  readonly total: Amounts
  readonly worth: number
}

type Content = { readonly item: Item; count: number }

export type FillInput = {
  readonly shapes: readonly Shape[]
  /** Amounts of the shapes, one after another. */
  readonly table: Float64Array
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

export function fill(seed: Combination, size: Size, input: FillInput, neighbours: Neighbours, steps: { count: number }): Filled {
  const { shapes, table, demand, worth, least, slotShapes } = input
  const axes = size.free.length
  const left = size.free.slice()
  const total = new Float64Array(axes)
  const contents: Content[] = []
  const weights = weightsOf(size, demand)
  const closed = new Uint8Array(shapes.length)
  let combination = seed
  let sum = 0
  let needsSlot = slotShapes.size > 0 && shapes.some((shape) => slotShapes.has(shape))
  neighbours.clear()
  while (fitsWithin(NOTHING, least, left)) {
    const at = needsSlot ? bestShape(input, left, weights, closed, slotShapes) : bestOf(table, left, weights, closed)
    steps.count += shapes.length
    const shape = shapes[at]
    if (shape === undefined) break
    const joined = takeOne(shape, combination, size, contents, neighbours, left)
    if (joined === undefined) {
      closed[at] = 1
      continue
    }
    needsSlot = false
    combination = joined.combination
    for (let axis = 0; axis < axes; axis++) {
      const amount = (shape.amounts[axis] ?? 0) * joined.count
      left[axis] = (left[axis] ?? 0) - amount
      total[axis] = (total[axis] ?? 0) + amount
    }
    sum += (worth.get(joined.item) ?? 0) * joined.count
  }
  return { combination, contents, total, worth: sum }
}

/**
 * A resource counts by how scarce it is: its share of the machine against its share of what waits. Squared shares, so that amounts and room
 * left are both taken against the whole machine.
 */
function weightsOf(size: Size, demand: Amounts): Float64Array {
  const load = new Float64Array(demand.length)
  let most = Number.MIN_VALUE
  for (let axis = 0; axis < load.length; axis++) {
    const whole = size.free[axis] ?? 0
    const share = Number.isFinite(whole) && whole > 0 ? (demand[axis] ?? 0) / whole : 0
    load[axis] = share
    if (share > most) most = share
  }
  for (let axis = 0; axis < load.length; axis++) {
    const share = load[axis] ?? 0
    if (share !== 0) load[axis] = share / most / (size.free[axis] ?? 1) ** 2
  }
  return load
}

const NOTHING: Amounts = new Float64Array()

/** The best of these shapes. */
function bestShape(
  { shapes, table }: Pick<FillInput, 'shapes' | 'table'>,
  left: Amounts,
  weights: Float64Array,
  closed: Uint8Array,
  among: ReadonlySet<Shape>,
): number {
  const others = closed.slice()
  for (let at = 0; at < shapes.length; at++) {
    const shape = shapes[at]
    if (shape === undefined || !among.has(shape)) others[at] = 1
  }
  return bestOf(table, left, weights, others)
}

/** The shape that points most along the room that is left; those that exceed it are closed. */
function bestOf(table: Float64Array, left: Amounts, weights: Float64Array, closed: Uint8Array): number {
  const axes = weights.length
  let found = -1
  let best = -1
  for (let at = 0, start = 0; at < closed.length; at++, start += axes) {
    if (closed[at] === 1) continue
    let score = 0
    for (let axis = 0; axis < axes; axis++) {
      const amount = table[start + axis] ?? 0
      const room = left[axis] ?? 0
      if (amount > room) {
        closed[at] = 1
        score = -1
        break
      }
      if (amount > 0) score += (weights[axis] ?? 0) * amount * room
    }
    if (score > best) {
      best = score
      found = at
    }
  }
  return found
}

type Joined = { readonly item: Item; readonly count: number; readonly combination: Combination }

/** The first item of the shape that may join, and how many of it. */
function takeOne(
  shape: Shape,
  combination: Combination,
  size: Size,
  contents: Content[],
  neighbours: Neighbours,
  left: Amounts,
): Joined | undefined {
  const share = Math.max(1, Math.floor(countFitting(NOTHING, shape.amounts, left, MANY) / SHARE_AT_A_TIME))
  let found: Joined | undefined
  for (const { wish, items } of shape.queues) {
    const combined = joinedWith(combination, wish)
    if (combined === undefined || !serves(combined, combination, size)) continue
    for (const item of items) {
      if (found !== undefined && item.id > found.item.id) break
      const count = Math.min(item.count - takenOf(contents, item), neighbours.room(item.rules), share)
      if (count <= 0) continue
      found = { item, count, combination: combined }
      break
    }
  }
  if (found === undefined) return undefined
  add(contents, found.item, found.count)
  neighbours.join(found.item.rules, found.count)
  return found
}

const MANY = 1e6

function takenOf(contents: readonly Content[], item: Item): number {
  for (const content of contents) if (content.item === item) return content.count
  return 0
}

function add(contents: Content[], item: Item, count: number): void {
  for (const content of contents) {
    if (content.item !== item) continue
    content.count += count
    return
  }
  contents.push({ item, count })
}

/** The item must not make the machine dearer than it was chosen for. */
function serves(combined: Combination, before: Combination, size: Size): boolean {
  return combined === before || priceOf(combined, size) === priceOf(before, size)
}
