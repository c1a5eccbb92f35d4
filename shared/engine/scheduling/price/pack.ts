/** New machines for what has no place: again and again the one that holds the most worth of pods for its price. */
import { type Amounts, addTimes, fitsWithin } from '../amounts.ts'
import { type Combination, frontierOf } from '../catalog/combination.ts'
import { ceilingOf, isWithin, machineOf } from '../catalog/limits.ts'
import type { Size } from '../catalog/template.ts'
import { type Bin, openBin, putInto } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import type { Group } from '../topology/group.ts'
import { record } from '../topology/rules.ts'
import { type Filled, type FillInput, fill } from './fill.ts'
import { combinedWith, type Item, type Shape, shapesOf } from './items.ts'
import { mostPerHost } from './neighbours.ts'
import { type Market, marketOf, type Seed, seedsOf, worthIn } from './worth.ts'

/** Sizes of a seed that are tried for a machine. */
const MOST_SIZES = 8
/** Sizes about a fair share of all that waits: so many that are smaller, and so many that hold it. */
const SMALLER = 1
const LARGER = 3
/** Shapes looked at in one plan: bounds the time of a decision. What is left then goes one by one. */
const MOST_STEPS = 40_000_000

type Pattern = Filled & { readonly start: Start; readonly size: Size; readonly price: number; readonly score: number }

/** A seed with what could go there. */
type Offer = { readonly seed: Seed; readonly market: Market; readonly items: readonly Item[]; readonly shapes: readonly Shape[] }

/** Opens claims for the items; what limits or steps leave over keeps its count. True when nothing is left over. */
export function pack(plan: Plan, starts: readonly Start[], items: readonly Item[]): boolean {
  const steps = { count: 0 }
  const offers = seedsOf(starts, items).map((seed): Offer => {
    const own = items.filter((item) => combinedWith(seed.combination, item) !== undefined)
    return { seed, market: marketOf(seed, own, plan.axes), items: own, shapes: shapesOf(own) }
  })
  const worth = worthOf(offers)
  while (steps.count < MOST_STEPS) {
    const pattern = bestPattern(offers, worth, plan.axes, steps)
    if (pattern === undefined || !apply(plan, pattern)) break
  }
  return items.every((item) => item.count === 0)
}

/** An item costs what it costs where it is cheapest. */
function worthOf(offers: readonly Offer[]): ReadonlyMap<Item, number> {
  const worth = new Map<Item, number>()
  for (const { market, items } of offers) {
    for (const item of items) worth.set(item, Math.min(worth.get(item) ?? Number.POSITIVE_INFINITY, worthIn(market, item)))
  }
  return worth
}

function bestPattern(
  offers: readonly Offer[],
  worth: ReadonlyMap<Item, number>,
  axes: number,
  steps: { count: number },
): Pattern | undefined {
  let best: Pattern | undefined
  for (const { seed, market, shapes } of offers) {
    const open = shapes.filter((shape) => shape.items.some((item) => item.count > 0))
    if (open.length === 0) continue
    const { start, combination } = seed
    const demand = demandOf(open, axes)
    const slot = market.slot === undefined ? undefined : slotOf(market.slot.group, open)
    const input: FillInput = {
      shapes: open,
      demand,
      least: leastOf(open, axes),
      worth,
      ...(slot === undefined ? {} : { slot: slot.shapes }),
    }
    const places =
      slot === undefined ? sizesToTry(combination, start, market.prices) : sizesNear(combination, start, shareOf(demand, slot.hosts))
    for (const place of places) {
      const size = combination.order[place]
      if (size === undefined) continue
      const filled = fill(combination, size, input, steps)
      const bought = cheapestFor(filled, start)
      if (bought === undefined || filled.contents.length === 0) continue
      const score = filled.worth / Math.max(1, bought.price)
      if (best === undefined || score > best.score) best = { ...filled, ...bought, start, score }
    }
  }
  return best
}

function demandOf(shapes: readonly Shape[], axes: number): Amounts {
  const demand = new Float64Array(axes)
  for (const { amounts, items } of shapes)
    addTimes(
      demand,
      amounts,
      items.reduce((sum, item) => sum + item.count, 0),
    )
  return demand
}

function leastOf(shapes: readonly Shape[], axes: number): Amounts {
  const least = new Float64Array(axes).fill(Number.POSITIVE_INFINITY)
  for (const { amounts } of shapes) for (let axis = 0; axis < axes; axis++) least[axis] = Math.min(least[axis] ?? 0, amounts[axis] ?? 0)
  return least
}

/** Shapes that a rule gives machines of their own, and how many machines that takes at least. */
function slotOf(group: Group, shapes: readonly Shape[]): { readonly shapes: ReadonlySet<Shape>; readonly hosts: number } | undefined {
  const concerned = new Set<Shape>()
  let hosts = 0
  for (const shape of shapes) {
    for (const item of shape.items) {
      const rule = item.count === 0 ? undefined : mostPerHost(item)
      if (rule?.group !== group) continue
      concerned.add(shape)
      hosts += item.count / rule.most
    }
  }
  return hosts === 0 ? undefined : { shapes: concerned, hosts }
}

function shareOf(demand: Amounts, hosts: number): Amounts {
  return demand.map((asked) => asked / Math.max(1, hosts))
}

/**
 * Where a rule asks for many machines, the sizes about as large as each one's share of all that waits: larger ones would leave the others
 * without company.
 */
function sizesNear(combination: Combination, { limits }: Start, share: Amounts): readonly number[] {
  const allowed = combination.order
    .map((_, place) => place)
    .filter((place) => combination.best[place]?.price !== undefined && isWithin(combination.order[place]?.type.capacity ?? {}, limits.left))
  const enough = allowed.findIndex((place) => fitsWithin(NOTHING, share, combination.order[place]?.free ?? NOTHING))
  const middle = enough < 0 ? allowed.length - 1 : enough
  return allowed.slice(Math.max(0, middle - SMALLER), middle + LARGER)
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
