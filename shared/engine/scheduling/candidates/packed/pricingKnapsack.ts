/**
 * The pricing subproblem: the pods with the highest dual value that one machine holds. It is a knapsack with a dimension for each resource. Lagrange
 * multipliers, the weights of the resources, bound it from above. A depth-first search that the weights guide looks for the best set. Hot code:
 * numbers of all rows are in arrays, one row after another.
 */

import { addAll, largestOf } from '../../../../base/lists.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import { FIRST_MULTIPLIER_STEPS, LOWER_POLYAK_TARGET, NEXT_MULTIPLIER_STEPS, POLYAK_TARGET } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import { type Fits, gainAt, KnapsackSearch, ROUNDING } from './knapsackSearch.ts'
import { type Count, GAIN } from './restrictedMaster.ts'

/** A machine of one size. `takes`: the rows that it may hold. `room` is a buffer that is made when the knapsack is first asked. */
export type Knapsack = {
  readonly price: number
  readonly free: Amounts
  readonly takes: readonly boolean[]
  room?: Room
}

/**
 * What fits of each row, and the search. Buffers: `values` are the dual values of the rows that fit. `best` are the weights with the least bound so
 * far. A search begins with the best weights of the search before. `weights` and `slope` belong to one search.
 */
type Room = {
  readonly fits: Fits
  readonly search: KnapsackSearch
  readonly values: Float64Array
  readonly weights: Float64Array
  readonly best: Float64Array
  readonly slope: Float64Array
  isFirst: boolean
}

/** By row: what a pod takes, and the most pods that one machine may hold. */
export type KnapsackRows = { readonly amounts: readonly Amounts[]; readonly most: readonly number[] }

/** The cost of a step besides its rows, in looks at a shape. With few pods it is most of the cost. */
const STEP = 8

/** The best of the sets that are looked at, at most `most`. Undefined if no set is worth more than the machine costs. */
export function pricingKnapsack(
  knapsack: Knapsack,
  rows: KnapsackRows,
  dualValue: Float64Array,
  most: number,
  work: Work,
): readonly Count[] | undefined {
  knapsack.room ??= roomOf(knapsack, rows)
  const { price, room } = knapsack
  const { fits, values, search } = room
  for (let at = 0; at < values.length; at++) values[at] = dualValue[fits.rows[at] ?? 0] ?? 0
  const enough = price * (1 + GAIN)
  return bestWeights(room, enough, work) > enough ? search.bestSet(values, room.best, enough, most, work) : undefined
}

function roomOf(knapsack: Knapsack, rows: KnapsackRows): Room {
  const fits = fitsOf(knapsack, rows)
  const axes = knapsack.free.length
  const [weights, best, slope] = [new Float64Array(axes), new Float64Array(axes), new Float64Array(axes)]
  return { fits, search: new KnapsackSearch(fits, axes), values: new Float64Array(fits.rows.length), weights, best, slope, isFirst: true }
}

function fitsOf({ free, takes }: Knapsack, { amounts, most: allowed }: KnapsackRows): Fits {
  const rows: number[] = []
  const most: number[] = []
  const shares: number[] = []
  for (let row = 0; row < amounts.length; row++) {
    const asks = amounts[row]
    if (takes[row] !== true || asks === undefined) continue
    const own = asks.map((amount, axis) => shareOf(amount, free[axis] ?? 0))
    const count = Math.min(allowed[row] ?? 0, Math.floor(1 / largestOf(own) + ROUNDING))
    if (count <= 0) continue
    rows.push(row)
    most.push(count)
    addAll(shares, own)
  }
  return { rows: Int32Array.from(rows), most: Int32Array.from(most), shares: Float64Array.from(shares) }
}

function shareOf(amount: number, free: number): number {
  return amount === 0 || free === Number.POSITIVE_INFINITY ? 0 : amount / free
}

/**
 * Moves the weights along the subgradient, by Polyak's step length. Ends once the bound shows that no set is worth enough. Returns the least bound.
 */
function bestWeights(room: Room, enough: number, work: Work): number {
  const { fits, values, weights, best, slope } = room
  const steps = room.isFirst ? FIRST_MULTIPLIER_STEPS : NEXT_MULTIPLIER_STEPS
  if (room.isFirst) best.fill(densestOf(fits, values) / best.length)
  room.isFirst = false
  weights.set(best)
  let least = Number.POSITIVE_INFINITY
  let polyakTarget = POLYAK_TARGET
  for (let step = steps; step > 0; step--) {
    work.shapes += STEP + values.length
    const atMost = boundAt(fits, values, weights, slope)
    if (atMost < least) {
      least = atMost
      best.set(weights)
    } else polyakTarget *= LOWER_POLYAK_TARGET
    const length = squareOf(slope)
    if (length < ROUNDING || least <= enough) break
    move(weights, slope, (atMost - least * (1 - polyakTarget)) / length)
  }
  return least
}

function densestOf({ most }: Fits, values: Float64Array): number {
  let densest = 0
  for (let at = 0; at < values.length; at++) densest = Math.max(densest, (values[at] ?? 0) * (most[at] ?? 0))
  return densest
}

function squareOf(slope: Float64Array): number {
  let sum = 0
  for (let axis = 0; axis < slope.length; axis++) sum += (slope[axis] ?? 0) ** 2
  return sum
}

function move(weights: Float64Array, slope: Float64Array, stride: number): void {
  for (let axis = 0; axis < weights.length; axis++) weights[axis] = Math.max(0, (weights[axis] ?? 0) - stride * (slope[axis] ?? 0))
}

/** The Lagrange bound: the whole room at its weights, and what each pod is worth beyond the room that it takes. Fills in the subgradient `slope`. */
function boundAt(fits: Fits, values: Float64Array, weights: Float64Array, slope: Float64Array): number {
  const { shares, most } = fits
  const axes = weights.length
  let atMost = 0
  for (let axis = 0; axis < axes; axis++) {
    slope[axis] = 1
    atMost += weights[axis] ?? 0
  }
  for (let at = 0, start = 0; at < values.length; at++, start += axes) {
    const gain = gainAt(start, shares, values[at] ?? 0, weights)
    if (gain <= 0) continue
    const count = most[at] ?? 0
    atMost += count * gain
    for (let axis = 0; axis < axes; axis++) slope[axis] = (slope[axis] ?? 0) - count * (shares[start + axis] ?? 0)
  }
  return atMost
}
