/** New machines for what has no place: again and again the one that holds the most worth of pods for its price. */
import { type Amounts, fitsWithin } from '../amounts.ts'
import { type Combination, frontierOf } from '../catalog/combination.ts'
import { ceilingOf, isWithin, machineOf } from '../catalog/limits.ts'
import type { Size } from '../catalog/template.ts'
import { type Bin, openBin, putInto } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import { record } from '../topology/rules.ts'
import { type Filled, type FillInput, fill } from './fill.ts'
import { combinedWith, type Item, type Shape, shapesOf } from './items.ts'
import { marketOf, type Seed, seedsOf, worthIn } from './worth.ts'

/** Sizes of a seed that are tried for a machine. */
const MOST_SIZES = 8
/** Shapes looked at in one plan: bounds the time of a decision. What is left then goes one by one. */
const MOST_STEPS = 40_000_000

type Pattern = Filled & { readonly start: Start; readonly size: Size; readonly price: number; readonly score: number }

/** Opens claims for the items; what limits or steps leave over keeps its count. */
export function pack(plan: Plan, starts: readonly Start[], items: readonly Item[]): void {
  const steps = { count: 0 }
  const seeds = seedsOf(starts, items)
  const markets = new Map(seeds.map((seed) => [seed, marketOf(seed, items, plan.axes)]))
  const offers = seeds.map((seed) => ({ seed, items: items.filter((item) => combinedWith(seed.combination, item) !== undefined) }))
  const worth = new Map(
    items.map((item) => {
      const own = offers.filter((offer) => offer.items.includes(item)).map(({ seed }) => worthOf(markets, seed, item))
      return [item, own.length === 0 ? 0 : Math.min(...own)] as const
    }),
  )
  const inputs = new Map(
    offers.map(({ seed, items: own }) => {
      const shapes = shapesOf(own)
      return [
        seed,
        { shapes, prices: markets.get(seed)?.prices ?? new Float64Array(plan.axes), worth, least: leastOf(shapes, plan.axes) },
      ] as const
    }),
  )
  while (steps.count < MOST_STEPS) {
    const pattern = bestPattern(inputs, steps)
    if (pattern === undefined || !apply(plan, pattern)) return
  }
}

function worthOf(markets: ReadonlyMap<Seed, ReturnType<typeof marketOf>>, seed: Seed, item: Item): number {
  const market = markets.get(seed)
  return market === undefined ? 0 : worthIn(market, item)
}

function leastOf(shapes: readonly Shape[], axes: number): Amounts {
  const least = new Float64Array(axes).fill(Number.POSITIVE_INFINITY)
  for (const { amounts } of shapes) for (let axis = 0; axis < axes; axis++) least[axis] = Math.min(least[axis] ?? 0, amounts[axis] ?? 0)
  return least
}

function bestPattern(inputs: ReadonlyMap<Seed, FillInput>, steps: { count: number }): Pattern | undefined {
  let best: Pattern | undefined
  for (const [{ start, combination }, input] of inputs) {
    const open = { ...input, shapes: input.shapes.filter((shape) => shape.items.some((item) => item.count > 0)) }
    if (open.shapes.length === 0) continue
    for (const place of sizesToTry(combination, start, input.prices)) {
      const size = combination.order[place]
      if (size === undefined) continue
      const filled = fill(combination, size, open, steps)
      const bought = cheapestFor(filled, start)
      if (bought === undefined || filled.contents.length === 0) continue
      const score = filled.worth / Math.max(1, bought.price)
      if (best === undefined || score > best.score) best = { ...filled, ...bought, start, score }
    }
  }
  return best
}

/** The sizes whose resources cost least at fair prices, the largest and smallest of the frontier among them. */
function sizesToTry(combination: Combination, { limits }: Start, prices: Float64Array): readonly number[] {
  const places = limits.left === undefined ? frontierOf(combination) : combination.order.map((_, place) => place)
  const allowed = places.filter((place) => isWithin(combination.order[place]?.type.capacity ?? {}, limits.left))
  if (allowed.length <= MOST_SIZES) return allowed
  const byBargain = allowed
    .map((place) => ({ place, ratio: bargain(combination, place, prices) }))
    .sort((first, second) => second.ratio - first.ratio || first.place - second.place)
  return byBargain.slice(0, MOST_SIZES).map(({ place }) => place)
}

function bargain({ order, best }: Combination, place: number, prices: Float64Array): number {
  const free = order[place]?.free ?? prices
  let value = 0
  for (let axis = 0; axis < prices.length; axis++) if (Number.isFinite(free[axis])) value += (prices[axis] ?? 0) * (free[axis] ?? 0)
  return value / Math.max(1, best[place]?.price ?? Number.POSITIVE_INFINITY)
}

/** What was filled may fit a smaller machine. */
function cheapestFor({ combination, total }: Filled, { limits }: Start): { readonly size: Size; readonly price: number } | undefined {
  for (const [place, size] of combination.order.entries()) {
    const price = combination.best[place]?.price
    if (price !== undefined && fitsWithin(NOTHING, total, size.free) && isWithin(size.type.capacity, limits.left)) return { size, price }
  }
  return undefined
}

const NOTHING: Amounts = new Float64Array()

/** As many machines of the pattern as there are pods for; false when not even one is within the limits. */
function apply(plan: Plan, pattern: Pattern): boolean {
  const { start, size, contents } = pattern
  const times = contents.reduce((least, { item, count }) => Math.min(least, Math.floor(item.count / count)), Number.POSITIVE_INFINITY)
  let made = 0
  for (; made < times && isWithin(size.type.capacity, start.limits.left); made++) makeBin(plan, pattern)
  return made > 0
}

function makeBin(plan: Plan, { start, size, combination, contents }: Pattern): Bin {
  const { capacity } = size.type
  const bin = openBin(
    plan.bins.length,
    { combination: start.combination, minimums: new Map(), ceiling: ceilingOf(start.limits, capacity), charge: machineOf(capacity) },
    plan.axes,
  )
  plan.bins.push(bin)
  start.limits.take(machineOf(capacity))
  for (const { item, count } of contents) {
    const { podClass, variant } = item
    putInto(bin, podClass, variant, count, { combination, cursor: 0 })
    record(bin, podClass, variant, count)
    plan.log.push({ host: bin, podClass, variant, count })
    plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - count)
    item.count -= count
  }
  return bin
}
