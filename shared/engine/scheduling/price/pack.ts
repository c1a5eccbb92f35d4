/** New machines for what has no place. */
import { markAll } from '../catalog/limits.ts'
import { type BinStart, openBin, putInto } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import { record } from '../topology/rules.ts'
import { createAllotments } from './allotments.ts'
import { leastCost } from './cost.ts'
import { type Manner, workbench } from './fill.ts'
import type { HostRules } from './hostRules.ts'
import type { Item } from './items.ts'
import { layOut, type Use } from './layout.ts'
import { createNeighbours } from './neighbours.ts'
import { offersOf } from './offers.ts'
import { marketsOf } from './worth.ts'

/** Ways of filling machines, the first of which is best most often. */
const WAYS: readonly [readonly Manner[], ...(readonly Manner[])[]] = [['best'], ['evenly'], ['best', 'evenly']]

/** So near to the least it can cost, no other way is looked for. */
const NEAR_ENOUGH = 1.002

/** Shapes looked at beyond which the first way has to do: bounds the time of a decision. */
const MOST_FOR_OTHERS = 1_000_000

/** Opens claims for the items; what limits or steps leave over keeps its place among the plan's pods. True when nothing is left over. */
export function pack(plan: Plan, starts: readonly Start[], items: readonly Item[]): boolean {
  const layout = cheapestLayout(plan, starts, items)
  layout.keep()
  for (const use of layout.uses) open(plan, use)
  return layout.left === 0
}

type Layout = {
  readonly uses: readonly Use[]
  readonly left: number
  readonly microUsdPerHour: number
  /** Takes from limits and from the plan's steps what it needs. */
  readonly keep: () => void
}

function cheapestLayout(plan: Plan, starts: readonly Start[], items: readonly Item[]): Layout {
  const layoutIn = layouter(plan, starts, items)
  const [usual, ...others] = WAYS
  let best = layoutIn(usual)
  if (best.left > 0 || items.some(needsMachines)) return best
  const enough = NEAR_ENOUGH * leastCost(starts, plan.axes, items)
  for (const manners of others) {
    if (best.microUsdPerHour <= enough || plan.work.shapes > MOST_FOR_OTHERS) break
    const layout = layoutIn(manners)
    if (layout.left === 0 && layout.microUsdPerHour < best.microUsdPerHour) best = layout
  }
  return best
}

/** Where pods need a machine each, machines hold few pods, and other ways of filling them gain next to nothing. */
function needsMachines({ rules }: Item): boolean {
  return rules.tightest !== undefined
}

function layouter(plan: Plan, starts: readonly Start[], items: readonly Item[]): (manners: readonly Manner[]) => Layout {
  const { axes, work } = plan
  const markets = marketsOf(starts, items, axes)
  const bench = workbench(createNeighbours(groupsIn(items)), axes, items.length)
  const allotmentOf = createAllotments()
  const limits = starts.map((start) => start.limits)
  const toBase = markAll(limits)
  return (manners) => {
    const waiting = items.map((item) => ({ ...item }))
    const turns = { left: plan.steps.left }
    const uses = layOut(offersOf(markets, waiting, axes), { bench, allotmentOf, manners, turns, work })
    const used = markAll(limits)
    toBase()
    return {
      uses,
      left: waiting.reduce((sum, { count }) => sum + count, 0),
      microUsdPerHour: uses.reduce((sum, { pattern, times }) => sum + pattern.price * times, 0),
      keep() {
        used()
        plan.steps.left = turns.left
      },
    }
  }
}

/** One more than the highest number of a group that speaks of hosts. */
function groupsIn(items: readonly Item[]): number {
  const most = ({ apart, spread, repelledBy, counted, owned }: HostRules): number =>
    Math.max(-1, ...[...apart, ...spread].map(({ group }) => group), ...repelledBy, ...counted, ...owned)
  return items.reduce((highest, { rules }) => Math.max(highest, most(rules)), -1) + 1
}

function open(plan: Plan, { pattern: { start, combination, contents }, allotment: { ceiling, charge }, times }: Use): void {
  for (let made = 0; made < times; made++) {
    const bin = openBin(plan.bins.length, { combination: start.combination, minimums: NO_MINIMUMS, ceiling, charge }, plan.axes)
    plan.work.opened++
    plan.bins.push(bin)
    for (const { item, count } of contents) {
      const { podClass, variant } = item
      putInto(bin, podClass, variant, count, { combination, cursor: 0 })
      record(bin, podClass, variant, count)
      plan.log.push({ host: bin, podClass, variant, count })
    }
  }
  for (const { item, count } of contents) plan.left.set(item.podClass, (plan.left.get(item.podClass) ?? 0) - count * times)
}

const NO_MINIMUMS: BinStart['minimums'] = new Map()
