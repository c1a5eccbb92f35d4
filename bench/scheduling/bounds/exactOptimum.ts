import type { Highs } from 'highs'
import { InternalError } from '../../../shared/base/result.ts'
import type { BoundProblem } from './boundProblem.ts'
import { type LinearProgram, solve } from './linearProgram.ts'

/** Up to so many pods, HiGHS chooses among all sets of pods. A set is a mask with a bit for each pod. */
const MOST_EXACT = 12
const TINY = 1e-7

/**
 * Returns the least price of the pods on new nodes, in US dollars an hour. Rules between pods must not be there, and every node must admit every pod.
 * `bill`: the price of a known plan. With more than `MOST_EXACT` pods the result is a lower bound of the least price, unless the bill meets the
 * bound: the cheapest whole nodes whose room adds up to what the pods request.
 */
export function exactOptimum(highs: Highs, { demand, supply }: BoundProblem, bill: number): number {
  if (demand.classes.length > 1 || demand.groups.length > 0 || supply.existing.length > 0)
    throw new InternalError('the exact optimum is for pods without rules on new nodes')
  const pods = demand.shapes.flatMap(({ amounts, count }) => Array.from({ length: count }, () => amounts))
  const bound = coverBound(highs, pods, supply.kinds)
  if (bill <= bound + TINY || pods.length > MOST_EXACT) return Math.min(bill, bound)
  const prices = pricesOfSets(
    pods,
    [...supply.kinds].sort((one, other) => one.price - other.price),
  )
  const full = fullSets(prices, pods.length)
  return Math.min(bill, costOf(highs, prices, full, pods.length))
}

/** The cheapest whole nodes whose room adds up to what all pods request. */
function coverBound(highs: Highs, pods: Pods, kinds: readonly Kind[]): number {
  const rows = (pods[0] ?? []).map((_, axis) => ({
    indices: kinds.map((_kind, index) => index),
    values: kinds.map(({ free }) => free[axis] ?? 0),
    atLeast: pods.reduce((sum, amounts) => sum + (amounts[axis] ?? 0), 0),
  }))
  return optimumOf(highs, { columns: kinds.map(({ price }) => ({ cost: price })), rows, isWhole: true })
}

type Pods = readonly (readonly number[])[]
type Kind = { readonly price: number; readonly free: readonly number[] }

/** The price of the cheapest node for each set of pods. `kinds`: cheapest first. Infinite if no node holds the set. */
function pricesOfSets(pods: Pods, kinds: readonly Kind[]): Float64Array {
  const count = 1 << pods.length
  const axes = pods[0]?.length ?? 0
  const prices = new Float64Array(count)
  const cheapest = new Int32Array(count)
  const totals = new Float64Array(count * axes)
  const holds = ({ free }: Kind, set: number): boolean => free.every((each, axis) => (totals[set * axes + axis] ?? 0) <= each + TINY)
  for (let set = 1; set < count; set++) {
    const rest = set & (set - 1)
    const pod = pods[31 - Math.clz32(set & -set)]
    for (let axis = 0; axis < axes; axis++) totals[set * axes + axis] = (totals[rest * axes + axis] ?? 0) + (pod?.[axis] ?? 0)
    const at = kinds.findIndex((kind, index) => index >= (cheapest[rest] ?? 0) && holds(kind, set))
    cheapest[set] = at < 0 ? kinds.length : at
    prices[set] = kinds[at]?.price ?? Number.POSITIVE_INFINITY
  }
  return prices
}

/** The sets to which no pod can be added at the same price. Some cheapest choice has only parts of these, at their prices. */
function fullSets(prices: Float64Array, pods: number): Int32Array {
  const isFull = (set: number): boolean => {
    const price = prices[set] ?? Number.POSITIVE_INFINITY
    if (!Number.isFinite(price)) return false
    for (let pod = 0; pod < pods; pod++) if ((set & (1 << pod)) === 0 && prices[set | (1 << pod)] === price) return false
    return true
  }
  return Int32Array.from({ length: (1 << pods) - 1 }, (_, index) => index + 1).filter(isFull)
}

function costOf(highs: Highs, prices: Float64Array, sets: Int32Array, pods: number): number {
  const rows = Array.from({ length: pods }, (_, pod) => {
    const indices = [...sets.keys()].filter((index) => ((sets[index] ?? 0) & (1 << pod)) !== 0)
    return { indices, values: indices.map(() => 1), atLeast: 1 }
  })
  return optimumOf(highs, { columns: Array.from(sets, (set) => ({ cost: prices[set] ?? 0 })), rows, isWhole: true })
}

function optimumOf(highs: Highs, program: LinearProgram): number {
  const solved = solve(highs, program)
  if (solved === undefined) throw new InternalError('HiGHS found no optimum')
  return solved.objective
}
