/** New machines for what has no place: again and again the one that holds the most worth of pods for its price. */
import type { Combination } from '../catalog/combination.ts'
import { isWithin } from '../catalog/limits.ts'
import { priceOf } from '../catalog/sizePrices.ts'
import type { Size } from '../catalog/template.ts'
import { type BinStart, openBin, putInto } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import { record } from '../topology/rules.ts'
import { type Allotment, createAllotments } from './allotments.ts'
import { type Filled, fill, fillAlike, type Workbench, workbench } from './fill.ts'
import type { HostRules } from './hostRules.ts'
import type { Item } from './items.ts'
import { createNeighbours, type Neighbours } from './neighbours.ts'
import { type Offers, offersOf } from './offers.ts'
import { cheapestHolding, sizesFor } from './sizes.ts'

/** Shapes looked at in one plan: bounds the time of a decision. What is left then goes one by one. */
const MOST_STEPS = 40_000_000

type Pattern = Filled & {
  readonly start: Start
  readonly seed: Combination
  readonly size: Size
  readonly price: number
  readonly score: number
}

/** Opens claims for the items; what limits or steps leave over keeps its count. True when nothing is left over. */
export function pack(plan: Plan, starts: readonly Start[], items: readonly Item[]): boolean {
  const steps = { count: 0 }
  const offers = offersOf(starts, items, plan.axes)
  const mostShapes = Math.max(0, ...offers.all.map(({ shapes }) => shapes.length))
  const bench = workbench(createNeighbours(groupsIn(items)), plan.axes, mostShapes)
  const allotmentOf = createAllotments()
  while (steps.count < MOST_STEPS && plan.steps.left-- > 0) {
    const pattern = bestPattern(offers, bench, steps)
    if (pattern === undefined || !apply(plan, offers, pattern, allotmentOf)) break
    applyAlike(plan, offers, pattern, { neighbours: bench.neighbours, allotmentOf, steps })
  }
  plan.work.shapes += steps.count
  return items.every((item) => item.count === 0)
}

/** One more than the highest number of a group that speaks of hosts. */
function groupsIn(items: readonly Item[]): number {
  const most = ({ apart, spread, repelledBy, counted, owned }: HostRules): number =>
    Math.max(-1, ...[...apart, ...spread].map(({ group }) => group), ...repelledBy, ...counted, ...owned)
  return items.reduce((highest, { rules }) => Math.max(highest, most(rules)), -1) + 1
}

function bestPattern({ all, worth }: Offers, bench: Workbench, steps: { count: number }): Pattern | undefined {
  let best: Pattern | undefined
  for (const offer of all) {
    const { seed, shapes } = offer
    if (shapes.length === 0) continue
    const { start, combination } = seed
    const input = { ...offer, worth }
    for (const place of sizesFor(offer)) {
      const size = combination.order[place]
      if (size === undefined) continue
      const filled = fill(combination, size, input, bench, steps)
      const bought = filled.contents.length === 0 ? undefined : cheapestHolding(filled.combination, filled.total, start)
      if (bought === undefined) continue
      const score = filled.worth / Math.max(1, bought.price)
      if (best === undefined || score > best.score) best = { ...filled, ...bought, start, seed: combination, score }
    }
  }
  return best
}

/** Share of the pods of a shape that may go by one pattern before other patterns are looked at. */
const AT_ONCE = 0.1

/** Machines with other pods of the same amounts, while most of them still wait: so long the pattern stays about as good as it was. */
function applyAlike(plan: Plan, offers: Offers, pattern: Pattern, { neighbours, allotmentOf, steps }: Tools): void {
  const { recipe, seed, size, price } = pattern
  let times = recipe.reduce((least, { shape, count }) => Math.min(least, Math.floor((shape.waiting * AT_ONCE) / count)), Number.MAX_VALUE)
  for (; times > 0 && plan.steps.left-- > 0; times--) {
    steps.count += recipe.length
    const alike = fillAlike(pattern, seed, size, offers.worth, neighbours)
    if (alike === undefined || priceOf(alike.combination, size) !== price) return
    if (!apply(plan, offers, { ...pattern, ...alike }, allotmentOf)) return
  }
}

type Tools = {
  readonly neighbours: Neighbours
  readonly allotmentOf: ReturnType<typeof createAllotments>
  readonly steps: { count: number }
}

/** As many machines of the pattern as there are pods for; false when not even one is within the limits. */
function apply(plan: Plan, offers: Offers, pattern: Pattern, allotmentOf: ReturnType<typeof createAllotments>): boolean {
  const { start, size, contents } = pattern
  const times = contents.reduce((least, { item, count }) => Math.min(least, Math.floor(item.count / count)), Number.POSITIVE_INFINITY)
  const { capacity } = size.type
  const allotment = allotmentOf(start, size)
  let made = 0
  for (; made < times && isWithin(capacity, start.limits.left); made++) makeBin(plan, offers, pattern, allotment)
  return made > 0
}

function makeBin(plan: Plan, offers: Offers, { start, combination, contents }: Pattern, { ceiling, charge }: Allotment): void {
  const bin = openBin(plan.bins.length, { combination: start.combination, minimums: NO_MINIMUMS, ceiling, charge }, plan.axes)
  plan.work.opened++
  plan.bins.push(bin)
  start.limits.take(charge)
  for (const { item, count } of contents) {
    const { podClass, variant } = item
    putInto(bin, podClass, variant, count, { combination, cursor: 0 })
    record(bin, podClass, variant, count)
    plan.log.push({ host: bin, podClass, variant, count })
    plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - count)
    offers.take(item, count)
  }
}

const NO_MINIMUMS: BinStart['minimums'] = new Map()
