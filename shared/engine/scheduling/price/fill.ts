/** Fills one machine on paper: pod by pod whatever points most along the room that is left. */
import { type Amounts, addTimes, countFitting, fitsWithin } from '../amounts.ts'
import type { Combination } from '../catalog/combination.ts'
import { priceOf } from '../catalog/sizePrices.ts'
import type { Size } from '../catalog/template.ts'
import { type Item, joinedWith, type Shape } from './items.ts'
import type { Neighbours } from './neighbours.ts'

export type Filled = {
  readonly combination: Combination
  readonly contents: readonly Content[]
  /** What was taken of which shape, in order. */
  readonly recipe: readonly Portion[]
  readonly total: Amounts
  readonly worth: number
}

type Content = { readonly item: Item; count: number }

export type Portion = { readonly shape: Shape; readonly count: number }

export type FillInput = {
  readonly shapes: readonly Shape[]
  /** Amounts of the shapes, one after another. */
  readonly table: Float64Array
  /** All that waits, on each axis. */
  readonly demand: Amounts
  /** What a pod of each item is worth. */
  readonly worth: Float64Array
  /** The least any shape takes of each axis: with less left a machine is full. */
  readonly least: Amounts
  /** 1: the shape may not come first, since others need many machines and each machine begins with one of those. */
  readonly notFirst: Uint8Array | undefined
}

/** Buffers of one machine after another. */
export type Workbench = {
  readonly neighbours: Neighbours
  readonly left: Float64Array
  readonly weights: Float64Array
  readonly closed: Uint8Array
}

export function workbench(neighbours: Neighbours, axes: number, shapes: number): Workbench {
  return { neighbours, left: new Float64Array(axes), weights: new Float64Array(axes), closed: new Uint8Array(shapes) }
}

/** Of a large number of equal pods at most this share of the room at a time, so that others are mixed in. */
const SHARE_AT_A_TIME = 4

export function fill(seed: Combination, size: Size, input: FillInput, bench: Workbench, steps: { count: number }): Filled {
  const { shapes, worth, least, notFirst } = input
  const { left, closed } = bench
  left.set(size.free)
  closed.fill(0, 0, shapes.length)
  weigh(bench.weights, size, input.demand)
  const machine = machineOf(seed, size, bench.neighbours)
  let barred = notFirst
  while (fitsWithin(NOTHING, least, left)) {
    const at = bestShape(input, bench, barred)
    steps.count += shapes.length
    const shape = shapes[at]
    if (shape === undefined) break
    const share = Math.max(1, Math.floor(countFitting(NOTHING, shape.amounts, left, MANY) / SHARE_AT_A_TIME))
    const count = take(machine, shape, share, worth)
    if (count === 0) {
      closed[at] = 1
      continue
    }
    barred = undefined
    addTimes(left, shape.amounts, -count)
  }
  return machine
}

/** The same once more, with whichever pods of the same amounts may join. Undefined: there are not enough. */
export function fillAlike(
  { recipe }: Filled,
  seed: Combination,
  size: Size,
  worth: Float64Array,
  neighbours: Neighbours,
): Filled | undefined {
  const machine = machineOf(seed, size, neighbours)
  for (const { shape, count } of recipe) {
    for (let missing = count; missing > 0; ) {
      const taken = take(machine, shape, missing, worth)
      if (taken === 0) return undefined
      missing -= taken
    }
  }
  return machine
}

/** A machine that is being filled. */
type Machine = Omit<Filled, 'contents' | 'recipe'> & {
  combination: Combination
  readonly size: Size
  readonly contents: Content[]
  readonly recipe: Portion[]
  readonly neighbours: Neighbours
  worth: number
}

function machineOf(combination: Combination, size: Size, neighbours: Neighbours): Machine {
  neighbours.clear()
  return { combination, size, contents: [], recipe: [], total: new Float64Array(size.free.length), neighbours, worth: 0 }
}

/**
 * A resource counts by how scarce it is: its share of the machine against its share of what waits. Squared shares, so that amounts and room
 * left are both taken against the whole machine.
 */
function weigh(weights: Float64Array, size: Size, demand: Amounts): void {
  let most = Number.MIN_VALUE
  for (let axis = 0; axis < weights.length; axis++) {
    const whole = size.free[axis] ?? 0
    const share = Number.isFinite(whole) && whole > 0 ? (demand[axis] ?? 0) / whole : 0
    weights[axis] = share
    if (share > most) most = share
  }
  for (let axis = 0; axis < weights.length; axis++) {
    const share = weights[axis] ?? 0
    if (share !== 0) weights[axis] = share / most / (size.free[axis] ?? 1) ** 2
  }
}

const NOTHING: Amounts = new Float64Array()

/** The shape that points most along the room that is left; those that exceed it are closed. */
function bestShape({ shapes, table }: FillInput, { left, weights, closed }: Workbench, barred: Uint8Array | undefined): number {
  const axes = weights.length
  let found = -1
  let best = -1
  for (let at = 0, start = 0; at < shapes.length; at++, start += axes) {
    if (closed[at] === 1 || barred?.[at] === 1) continue
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

/** Takes pods of the first item of the shape that may join, at most so many; answers how many. */
function take(machine: Machine, shape: Shape, most: number, worth: Float64Array): number {
  const { combination, size, contents, neighbours } = machine
  let found: Item | undefined
  let count = 0
  for (const { wish, items } of shape.queues) {
    const combined = joinedWith(combination, wish)
    if (combined === undefined || !serves(combined, combination, size)) continue
    for (const item of items) {
      if (found !== undefined && item.id > found.id) break
      const allowed = Math.min(item.count - takenOf(contents, item), neighbours.room(item.rules), most)
      if (allowed <= 0) continue
      found = item
      count = allowed
      machine.combination = combined
      break
    }
  }
  if (found === undefined) return 0
  add(contents, found, count)
  neighbours.join(found.rules, count)
  machine.recipe.push({ shape, count })
  addTimes(machine.total, shape.amounts, count)
  machine.worth += (worth[found.id] ?? 0) * count
  return count
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
