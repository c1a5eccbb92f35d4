/** Fills one machine on paper. */

import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, addTimes, countFitting, fits } from '../../model/quantities/amounts.ts'
import { FILL_PARTS } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { Neighbours } from './hostRules.ts'
import type { Shape } from './items.ts'
import { type Filled, type Machine, machineOf, take, takeMany } from './rows.ts'

export type FillInput = {
  readonly shapes: readonly Shape[]
  /** The amounts of the shapes, one after another. */
  readonly table: Float64Array
  /** What all waiting pods take, by axis. */
  readonly demand: Amounts
  /** The dual value of a pod of each item, by id of the item. */
  readonly dualValue: Float64Array
  /** The least that any shape takes, by axis. A machine with less left is full. */
  readonly least: Amounts
  /**
   * 1 if the shape may not come first: other shapes need many machines, and each machine begins with one of these. Undefined if all may come first.
   */
  readonly notFirst: Uint8Array | undefined
}

/** Buffers that are used for one machine after another. */
export type FillBuffers = {
  readonly neighbours: Neighbours
  readonly left: Float64Array
  readonly weights: Float64Array
  readonly closed: Uint8Array
}

export function fillBuffers(neighbours: Neighbours, axes: number, shapes: number): FillBuffers {
  return { neighbours, left: new Float64Array(axes), weights: new Float64Array(axes), closed: new Uint8Array(shapes) }
}

/**
 * A heuristic that fills a machine. `dotProduct`: the next pods are those whose amounts have the largest weighted dot product with the room that is
 * left. `evenly`: the same share of all waiting pods goes first, so that the mix for later machines stays as it is. `evenly` suits machines that hold
 * many pods, and ignores `notFirst`.
 */
export type FillHeuristic = 'dotProduct' | 'evenly'

export function fill(
  binType: NarrowedTemplate,
  size: InstanceTypeOption,
  input: FillInput,
  buffers: FillBuffers,
  work: Work,
  heuristic: FillHeuristic,
): Filled {
  const { shapes, dualValue, least, notFirst } = input
  const { left, closed } = buffers
  left.set(size.free)
  closed.fill(0, 0, shapes.length)
  weigh(buffers.weights, size, input.demand)
  const machine = machineOf(binType, size, buffers.neighbours)
  let barred = notFirst
  if (heuristic === 'evenly') {
    work.shapes += shapes.length
    takeEvenly(machine, input, left)
    leave(left, size, machine)
  }
  while (fits(least, left)) {
    work.shapes += shapes.length
    const at = bestShape(input, buffers, barred)
    const shape = shapes[at]
    if (shape === undefined) break
    const share = Math.max(1, Math.floor(countFitting(shape.amounts, left, MANY) / FILL_PARTS))
    const count = take(machine, shape, share, dualValue)
    if (count === 0) {
      closed[at] = 1
      continue
    }
    barred = undefined
    leave(left, size, machine)
  }
  work.joins += machine.joins
  return machine
}

/** Sets the room that is left. Pods count with their own amounts, which may be less than the amounts of their shape. */
function leave(left: Float64Array, { free }: InstanceTypeOption, { total }: Machine): void {
  for (let axis = 0; axis < left.length; axis++) left[axis] = (free[axis] ?? 0) - (total[axis] ?? 0)
}

/** Takes the same share of the waiting pods of each shape: the largest share of all waiting pods that the machine has room for. */
function takeEvenly(machine: Machine, { shapes, demand, dualValue }: FillInput, left: Float64Array): void {
  const share = shareWithin(left, demand)
  for (const shape of shapes) {
    const wanted = Math.min(Math.floor(shape.waiting * share), countFitting(shape.amounts, left, MANY))
    addTimes(left, shape.amounts, -takeMany(machine, shape, wanted, dualValue))
  }
}

function shareWithin(left: Float64Array, demand: Amounts): number {
  let share = 1
  for (let axis = 0; axis < left.length; axis++) {
    const asked = demand[axis] ?? 0
    if (asked > 0) share = Math.min(share, (left[axis] ?? 0) / asked)
  }
  return share
}

/** Fills a machine by the same recipe, with any pods of these shapes that may join. Undefined if too few may join, or if they do not fit. */
export function fillAlike(
  { recipe }: Filled,
  binType: NarrowedTemplate,
  size: InstanceTypeOption,
  dualValue: Float64Array,
  neighbours: Neighbours,
  work: Work,
): Filled | undefined {
  const machine = machineOf(binType, size, neighbours)
  const isFilled = recipe.every(({ shape, count }) => takeMany(machine, shape, count, dualValue) === count)
  work.joins += machine.joins
  return isFilled && fits(machine.total, size.free) ? machine : undefined
}

/**
 * Weighs a resource by its scarcity: the demand as a share of the machine. The division by the square of the size turns amounts and room left into
 * shares of the whole machine.
 */
function weigh(weights: Float64Array, size: InstanceTypeOption, demand: Amounts): void {
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

/**
 * The shape whose amounts have the largest weighted dot product with the room that is left, -1 if there is none. Closes shapes that exceed the room.
 */
function bestShape({ shapes, table }: FillInput, { left, weights, closed }: FillBuffers, barred: Uint8Array | undefined): number {
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
      // A resource without weight may have infinite room, and zero times infinity is not a number.
      const weight = weights[axis]
      if (weight) score += weight * amount * room
    }
    if (score > best) {
      best = score
      found = at
    }
  }
  return found
}

const MANY = 1e6
