/** New machines for what has no place: again and again the one that holds the most worth of pods for its price. */
import type { Amounts } from '../amounts.ts'
import { ceilingOf, isWithin, machineOf } from '../catalog/limits.ts'
import type { Size } from '../catalog/template.ts'
import { openBin, putInto } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import { record } from '../topology/rules.ts'
import { type Filled, type FillInput, fill } from './fill.ts'
import type { Item, Shape } from './items.ts'
import { type Offers, offersOf } from './offers.ts'
import { cheapestHolding, sizesFor } from './sizes.ts'

/** Shapes looked at in one plan: bounds the time of a decision. What is left then goes one by one. */
const MOST_STEPS = 40_000_000

type Pattern = Filled & { readonly start: Start; readonly size: Size; readonly price: number; readonly score: number }

/** Opens claims for the items; what limits or steps leave over keeps its count. True when nothing is left over. */
export function pack(plan: Plan, starts: readonly Start[], items: readonly Item[]): boolean {
  const steps = { count: 0 }
  const offers = offersOf(starts, items, plan.axes)
  while (steps.count < MOST_STEPS && plan.steps.left-- > 0) {
    const pattern = bestPattern(offers, steps)
    if (pattern === undefined || !apply(plan, offers, pattern)) break
  }
  return items.every((item) => item.count === 0)
}

function bestPattern({ all, worth }: Offers, steps: { count: number }): Pattern | undefined {
  let best: Pattern | undefined
  for (const offer of all) {
    const { seed, shapes, demand, slotShapes } = offer
    if (shapes.length === 0) continue
    const { start, combination } = seed
    const input: FillInput = { shapes, demand, least: leastOf(shapes, demand.length), worth, slotShapes }
    for (const place of sizesFor(offer)) {
      const size = combination.order[place]
      if (size === undefined) continue
      const filled = fill(combination, size, input, steps)
      const bought = filled.contents.length === 0 ? undefined : cheapestHolding(filled.combination, filled.total, start)
      if (bought === undefined) continue
      const score = filled.worth / Math.max(1, bought.price)
      if (best === undefined || score > best.score) best = { ...filled, ...bought, start, score }
    }
  }
  return best
}

function leastOf(shapes: readonly Shape[], axes: number): Amounts {
  const least = new Float64Array(axes).fill(Number.POSITIVE_INFINITY)
  for (const { amounts } of shapes) for (let axis = 0; axis < axes; axis++) least[axis] = Math.min(least[axis] ?? 0, amounts[axis] ?? 0)
  return least
}

/** As many machines of the pattern as there are pods for; false when not even one is within the limits. */
function apply(plan: Plan, offers: Offers, pattern: Pattern): boolean {
  const { start, size, contents } = pattern
  const times = contents.reduce((least, { item, count }) => Math.min(least, Math.floor(item.count / count)), Number.POSITIVE_INFINITY)
  let made = 0
  for (; made < times && isWithin(size.type.capacity, start.limits.left); made++) makeBin(plan, offers, pattern)
  return made > 0
}

function makeBin(plan: Plan, offers: Offers, { start, size, combination, contents }: Pattern): void {
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
    offers.take(item, count)
  }
}
