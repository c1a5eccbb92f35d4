/**
 * The pricing subproblem: the pods with the highest dual value that one machine holds. It is a knapsack with a dimension for each resource. Lagrange
 * multipliers, the weights of the resources, bound it from above. A depth-first search that the weights guide looks for the best set.
 */

import { largestOf } from '../../../../base/lists.ts'
import { type Amounts, addTimes } from '../../model/quantities/amounts.ts'
import { FIRST_MULTIPLIER_STEPS, LOWER_POLYAK_TARGET, NEXT_MULTIPLIER_STEPS, POLYAK_TARGET } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import { type Count, GAIN } from './restrictedMaster.ts'

/**
 * A machine of one size. `takes`: the rows that it may hold. Buffers: `weights` are those of the last search, and `fits` is what fits of each row,
 * once asked.
 */
export type Knapsack = {
  readonly price: number
  readonly free: Amounts
  readonly takes: readonly boolean[]
  weights?: Float64Array
  fits?: readonly Fit[]
}

/** By row: what a pod takes, and the most pods that one machine may hold. */
export type KnapsackRows = { readonly amounts: readonly Amounts[]; readonly most: readonly number[] }

/** Pods of a row that the machine may hold. `shares`: what one pod takes, as shares of the machine. `most`: the most of them. */
type Fit = { readonly row: number; readonly shares: Float64Array; readonly most: number }

type KnapsackItem = Fit & { readonly dualValue: number }

/** The cost of a step besides its choices, in looks at a shape. With few pods it is most of the cost. */
const STEP = 8
const ROUNDING = 1e-9

/** The best of the sets that are looked at, at most `most`. Undefined if no set is worth more than the machine costs. */
export function pricingKnapsack(
  knapsack: Knapsack,
  rows: KnapsackRows,
  dualValue: Float64Array,
  most: number,
  work: Work,
): readonly Count[] | undefined {
  const choices = choicesFor(knapsack, rows, dualValue)
  if (choices.length === 0) return undefined
  const enough = knapsack.price * (1 + GAIN)
  const { weights, atMost } = bestWeights(knapsack, choices, enough, work)
  knapsack.weights = weights
  return atMost > enough ? bestSet(choices, weights, { enough, sets: most }, work) : undefined
}

function choicesFor(knapsack: Knapsack, rows: KnapsackRows, dualValue: Float64Array): readonly KnapsackItem[] {
  knapsack.fits ??= fitsOf(knapsack, rows)
  const choices: KnapsackItem[] = []
  for (const { row, shares, most } of knapsack.fits) {
    const each = dualValue[row] ?? 0
    if (each > 0) choices.push({ row, dualValue: each, shares, most })
  }
  return choices
}

function fitsOf({ free, takes }: Knapsack, { amounts, most: allowed }: KnapsackRows): readonly Fit[] {
  return amounts.flatMap((asks, row) => {
    if (takes[row] !== true) return []
    const shares = asks.map((amount, axis) => (amount === 0 || free[axis] === Number.POSITIVE_INFINITY ? 0 : amount / (free[axis] ?? 0)))
    const most = Math.min(allowed[row] ?? 0, Math.floor(1 / largestOf(shares) + ROUNDING))
    return most > 0 ? [{ row, shares, most }] : []
  })
}

/** Moves the weights along the subgradient, by Polyak's step length. Ends once the bound shows that no set is worth enough. */
function bestWeights(
  knapsack: Knapsack,
  choices: readonly KnapsackItem[],
  enough: number,
  work: Work,
): { readonly weights: Float64Array; readonly atMost: number } {
  const axes = knapsack.free.length
  const densest = choices.reduce((most, choice) => Math.max(most, choice.dualValue * choice.most), 0)
  let weights = knapsack.weights ?? new Float64Array(axes).fill(densest / axes)
  let best = { weights, atMost: Number.POSITIVE_INFINITY }
  let polyakTarget = POLYAK_TARGET
  const slope = new Float64Array(axes)
  for (let step = knapsack.weights === undefined ? FIRST_MULTIPLIER_STEPS : NEXT_MULTIPLIER_STEPS; step > 0; step--) {
    work.shapes += STEP + choices.length
    const atMost = boundAt(choices, weights, slope)
    if (atMost < best.atMost) best = { weights, atMost }
    else polyakTarget *= LOWER_POLYAK_TARGET
    const length = squareOf(slope)
    if (length < ROUNDING || best.atMost <= enough) break
    const stride = (atMost - best.atMost * (1 - polyakTarget)) / length
    weights = moved(weights, slope, stride)
  }
  return best
}

function sumOf(weights: Float64Array): number {
  let sum = 0
  for (const weight of weights) sum += weight
  return sum
}

function squareOf(slope: Float64Array): number {
  let sum = 0
  for (const each of slope) sum += each * each
  return sum
}

function moved(weights: Float64Array, slope: Float64Array, stride: number): Float64Array {
  const next = new Float64Array(weights.length)
  for (let axis = 0; axis < next.length; axis++) next[axis] = Math.max(0, (weights[axis] ?? 0) - stride * (slope[axis] ?? 0))
  return next
}

/** The Lagrange bound: the whole room at its weights, and what each pod is worth beyond the room that it takes. Fills in the subgradient `slope`. */
function boundAt(choices: readonly KnapsackItem[], weights: Float64Array, slope: Float64Array): number {
  slope.fill(1)
  let atMost = sumOf(weights)
  for (const choice of choices) {
    const gain = gainOf(choice, weights)
    if (gain <= 0) continue
    atMost += choice.most * gain
    addTimes(slope, choice.shares, -choice.most)
  }
  return atMost
}

function gainOf({ dualValue, shares }: KnapsackItem, weights: Float64Array): number {
  let gain = dualValue
  for (let axis = 0; axis < weights.length; axis++) gain -= (shares[axis] ?? 0) * (weights[axis] ?? 0)
  return gain
}

/** Depth-first search: rows of the highest worth for their room first, and most pods of a row first. */
function bestSet(
  unsorted: readonly KnapsackItem[],
  weights: Float64Array,
  { enough, sets }: { readonly enough: number; readonly sets: number },
  work: Work,
): readonly Count[] | undefined {
  const ranked = unsorted.map((choice) => ({ choice, gain: gainOf(choice, weights) })).sort((one, other) => ratioOf(other) - ratioOf(one))
  const beyond = beyondEach(ranked)
  const left = new Float64Array(weights.length).fill(1)
  const counts = new Int32Array(ranked.length)
  let best: Int32Array | undefined
  let most = enough
  let unseen = sets

  /** `room`: what is left of the machine, at its weights. */
  function visit(at: number, value: number, room: number): void {
    if (value > most) {
      most = value
      best = counts.slice()
    }
    const next = ranked[at]
    if (next === undefined) return
    const { choice, gain } = next
    let count = fitting(choice, left)
    addTimes(left, choice.shares, -count)
    for (; ; count--) {
      const now = value + count * choice.dualValue
      const rest = room - count * (choice.dualValue - gain)
      const isHopeless = now + rest + (beyond[at + 1] ?? 0) <= most
      if (!isHopeless && unseen-- > 0) {
        counts[at] = count
        visit(at + 1, now, rest)
      }
      // Fewer of a pod that is worth more than its room cannot be better.
      if (count === 0 || unseen <= 0 || (isHopeless && gain >= 0)) break
      addTimes(left, choice.shares, 1)
    }
    addTimes(left, choice.shares, count)
    counts[at] = 0
  }

  visit(0, 0, sumOf(weights))
  work.shapes += sets - Math.max(0, unseen)
  return best && [...best].flatMap((count, at) => (count > 0 ? [[ranked[at]?.choice.row ?? 0, count] as const] : []))
}

type Ranked = { readonly choice: KnapsackItem; readonly gain: number }

function ratioOf({ choice, gain }: Ranked): number {
  return choice.dualValue / Math.max(ROUNDING, choice.dualValue - gain)
}

/** The most that the rows from each row on may add to the worth of the room. */
function beyondEach(ranked: readonly Ranked[]): Float64Array {
  const beyond = new Float64Array(ranked.length + 1)
  for (let at = ranked.length - 1; at >= 0; at--) {
    const { choice, gain } = ranked[at] ?? {}
    beyond[at] = (beyond[at + 1] ?? 0) + Math.max(0, gain ?? 0) * (choice?.most ?? 0)
  }
  return beyond
}

function fitting({ shares, most }: KnapsackItem, left: Float64Array): number {
  let count = most
  for (let axis = 0; axis < left.length; axis++) {
    const share = shares[axis] ?? 0
    if (share > 0) count = Math.min(count, Math.floor((left[axis] ?? 0) / share + ROUNDING))
  }
  return count
}
