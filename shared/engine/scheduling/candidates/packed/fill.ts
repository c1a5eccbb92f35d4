/** Fills one machine on paper. */

import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, addTimes, countFitting, fits } from '../../model/quantities/amounts.ts'
import { FILL_PARTS } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { Shape } from './items.ts'
import { type Filled, type Machine, machineOf, take, takeMany } from './machine.ts'
import type { Neighbours } from './neighbours.ts'

export type FillInput = {
  readonly shapes: readonly Shape[]
  /** Amounts of the shapes, one after another. */
  readonly table: Float64Array
  /** All that waits, on each axis. */
  readonly demand: Amounts
  /** What a pod of each item is worth. */
  readonly dualValue: Float64Array
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

/**
 * `best`: pod by pod whatever points most along the room that is left. `evenly`: of everything that waits the same share first, so that what
 * is left for the machines after it is as mixed as before; that suits machines that hold many pods, and does not heed what may not come first.
 */
export type Manner = 'best' | 'evenly'

export function fill(
  binType: NarrowedTemplate,
  size: InstanceTypeOption,
  input: FillInput,
  bench: Workbench,
  work: Work,
  manner: Manner,
): Filled {
  const { shapes, dualValue, least, notFirst } = input
  const { left, closed } = bench
  left.set(size.free)
  closed.fill(0, 0, shapes.length)
  weigh(bench.weights, size, input.demand)
  const machine = machineOf(binType, size, bench.neighbours)
  let barred = notFirst
  if (manner === 'evenly') {
    work.shapes += shapes.length
    takeEvenly(machine, input, left)
    leave(left, size, machine)
  }
  while (fits(least, left)) {
    work.shapes += shapes.length
    const at = bestShape(input, bench, barred)
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

/** What pods really take counts, which may be less than their shape. */
function leave(left: Float64Array, { free }: InstanceTypeOption, { total }: Machine): void {
  for (let axis = 0; axis < left.length; axis++) left[axis] = (free[axis] ?? 0) - (total[axis] ?? 0)
}

/** Of each shape as large a share of what waits as the machine has room for of everything that waits. */
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

/** The same once more, with whichever pods of the same shapes may join. Undefined: there are not enough, or they take more. */
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
 * A resource counts by how scarce it is: its share of the machine against its share of what waits. Squared shares, so that amounts and room
 * left are both taken against the whole machine.
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

/** The shape that points most along the room that is left; those that exceed it are closed. */
function bestShape({ shapes, table }: FillInput, { left, weights, closed }: Workbench, barred: Uint8Array | undefined): number {
  const axes = weights.length
  let found = -1
  let best = -1
  for (let at = 0, poolOption = 0; at < shapes.length; at++, poolOption += axes) {
    if (closed[at] === 1 || barred?.[at] === 1) continue
    let score = 0
    for (let axis = 0; axis < axes; axis++) {
      const amount = table[poolOption + axis] ?? 0
      const room = left[axis] ?? 0
      if (amount > room) {
        closed[at] = 1
        score = -1
        break
      }
      // What has no weight may have room without an end, and the two are not multiplied.
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
