import { hasBit } from './classMask.ts'
import type { Demand } from './demand.ts'
import type { NodeKind } from './supply.ts'

export type FullestNode = {
  /** Number of pods by shape. */
  readonly counts: readonly number[]
  readonly value: number
  /** No set of pods on such a node is worth more than this. */
  readonly atMost: number
}

type Item = {
  readonly shape: number
  readonly price: number
  /** Share of the node's room, by resource. */
  readonly shares: readonly number[]
  readonly most: number
  readonly group: number
}

/** Sets of pods whose worth differs by less than this share count as equal. */
const GAP = 2e-4
const STEPS_OF_WEIGHTS = 80
const NO_GROUP = -1

/**
 * Returns the most valuable set of pods that fits the node: a knapsack with one dimension for each resource, which may take only few pods of a group
 * that keeps apart. Weights of the resources give an upper bound (Lagrange). A depth-first search, guided by the weights, looks for the best set. It
 * is independent of the engine's own pricing on purpose, because it judges the engine, and because it proves an upper bound for all sets.
 */
export function fullestNode(demand: Demand, kind: NodeKind, prices: readonly number[], steps: number): FullestNode {
  const items = itemsFor(demand, kind, prices)
  const { weights, atMost } = bestWeights(items, demand.axes.length)
  const found = searchSet(items, { demand, weights, price: kind.price, steps })
  const counts = demand.shapes.map(() => 0)
  for (const [index, item] of found.items.entries()) counts[item.shape] = found.counts[index] ?? 0
  return { counts, value: found.value, atMost: found.isWhole ? Math.min(atMost, Math.max(found.value, kind.price) * (1 + GAP)) : atMost }
}

function itemsFor({ shapes, groups }: Demand, { free, admits }: NodeKind, prices: readonly number[]): readonly Item[] {
  return shapes.flatMap(({ podClass, amounts, count, group }, shape) => {
    const price = prices[shape] ?? 0
    if (price <= 0 || !hasBit(admits, podClass)) return []
    const shares = amounts.map((amount, axis) => (amount === 0 ? 0 : amount / (free[axis] ?? 0)))
    const fitting = Math.floor(1 / Math.max(...shares) + 1e-9)
    const most = Math.min(count, fitting, group === undefined ? count : (groups[group]?.most ?? count))
    return most > 0 ? [{ shape, price, shares, most, group: group ?? NO_GROUP }] : []
  })
}

/** Returns weights of the node's resources that make the upper bound small, by subgradient steps of Polyak's length. */
function bestWeights(items: readonly Item[], axes: number): { readonly weights: readonly number[]; readonly atMost: number } {
  const densest = Math.max(0, ...items.map((item) => item.price * item.most))
  let weights = Array.from({ length: axes }, () => densest / axes)
  let best = { weights, atMost: Number.POSITIVE_INFINITY }
  let ambition = 0.1
  for (let step = 0; step < STEPS_OF_WEIGHTS; step++) {
    const { atMost, slope } = boundAt(items, weights)
    if (atMost < best.atMost) best = { weights, atMost }
    else ambition *= 0.8
    const length = slope.reduce((sum, each) => sum + each * each, 0)
    if (length < 1e-12) break
    const stride = (atMost - best.atMost * (1 - ambition)) / length
    weights = weights.map((weight, axis) => Math.max(0, weight - stride * (slope[axis] ?? 0)))
  }
  return best
}

/**
 * Returns the upper bound for these weights: the weighted room, plus what each pod is worth beyond the room that it takes. Only the best pods of a
 * group count.
 */
function boundAt(items: readonly Item[], weights: readonly number[]): { readonly atMost: number; readonly slope: readonly number[] } {
  const slope = weights.map(() => 1)
  let atMost = weights.reduce((sum, weight) => sum + weight, 0)
  const gainers = new Map<number, { readonly item: Item; readonly gain: number }>()
  const count = ({ shares, most }: Item, gain: number): void => {
    atMost += most * gain
    for (const [axis, share] of shares.entries()) slope[axis] = (slope[axis] ?? 0) - most * share
  }
  for (const item of items) {
    const gain = gainOf(item, weights)
    if (gain <= 0) continue
    if (item.group === NO_GROUP) count(item, gain)
    else if (item.most * gain > gainOfGroup(gainers.get(item.group))) gainers.set(item.group, { item, gain })
  }
  for (const { item, gain } of gainers.values()) count(item, gain)
  return { atMost, slope }
}

function gainOfGroup(best: { readonly item: Item; readonly gain: number } | undefined): number {
  return best === undefined ? 0 : best.item.most * best.gain
}

function gainOf({ price, shares }: Item, weights: readonly number[]): number {
  let gain = price
  for (let axis = 0; axis < weights.length; axis++) gain -= (shares[axis] ?? 0) * (weights[axis] ?? 0)
  return gain
}

type Search = { readonly demand: Demand; readonly weights: readonly number[]; readonly price: number; readonly steps: number }
type Found = { readonly items: readonly Item[]; readonly counts: readonly number[]; readonly value: number; readonly isWhole: boolean }

/**
 * Searches depth-first: the pod with the highest worth for its room first, and as many of it as possible. A set that is worth no more than the node's
 * price is of no use.
 */
function searchSet(unsorted: readonly Item[], { demand: { groups }, weights, price, steps }: Search): Found {
  const ratio = (item: Item): number => item.price / Math.max(1e-12, item.price - gainOf(item, weights))
  const items = [...unsorted].sort((first, second) => ratio(second) - ratio(first))
  const gains = items.map((item) => gainOf(item, weights))
  // The most that this item and the later items can add beyond the worth of the room, without the limits of groups.
  const beyond = [...items.map(() => 0), 0]
  for (let index = items.length - 1; index >= 0; index--) {
    beyond[index] = (beyond[index + 1] ?? 0) + Math.max(0, gains[index] ?? 0) * (items[index]?.most ?? 0)
  }
  const left = weights.map(() => 1)
  const leftOfGroup = groups.map(({ most }) => most)
  const counts = items.map(() => 0)
  const best = { value: 0, counts: [...counts] }
  let stepsLeft = steps

  const visit = (index: number, value: number): void => {
    if (value > best.value) {
      best.value = value
      best.counts = [...counts]
    }
    const item = items[index]
    if (item === undefined) return
    const { shares, group } = item
    let most = Math.min(item.most, group === NO_GROUP ? item.most : (leftOfGroup[group] ?? 0))
    for (const [axis, share] of shares.entries()) if (share > 0) most = Math.min(most, Math.floor((left[axis] ?? 0) / share + 1e-9))
    take(left, shares, most)
    for (let count = most; ; count--) {
      const now = value + count * item.price
      const room = left.reduce((sum, each, axis) => sum + each * (weights[axis] ?? 0), 0)
      const isHopeless = now + room + (beyond[index + 1] ?? 0) <= Math.max(best.value, price) * (1 + GAP)
      // Fewer pods of a shape that is worth more than its room cannot be better.
      const isOver = count === 0 || stepsLeft <= 0 || (isHopeless && (gains[index] ?? 0) >= 0)
      if (!isHopeless && stepsLeft > 0) {
        stepsLeft--
        counts[index] = count
        if (group !== NO_GROUP) leftOfGroup[group] = (leftOfGroup[group] ?? 0) - count
        visit(index + 1, now)
        if (group !== NO_GROUP) leftOfGroup[group] = (leftOfGroup[group] ?? 0) + count
      }
      take(left, shares, isOver ? -count : -1)
      if (isOver) break
    }
    counts[index] = 0
  }
  visit(0, 0)
  return { items, counts: best.counts, value: best.value, isWhole: stepsLeft > 0 }
}

function take(left: number[], shares: readonly number[], count: number): void {
  for (let axis = 0; axis < left.length; axis++) left[axis] = (left[axis] ?? 0) - count * (shares[axis] ?? 0)
}
