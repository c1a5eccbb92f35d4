/** Opens new machines for pods without a place. */

import { markAll } from '../../model/catalog/limits.ts'
import { minimumsOf } from '../../model/catalog/sizePrices.ts'
import { countsFor, record } from '../../model/neighbours/domainFilters.ts'
import { putInto } from '../../model/nodes/bin.ts'
import { CLOSE_TO_MIX, NEAR_ENOUGH, SHARE_FOR_OTHER_WAYS } from '../../model/quantities/tuning.ts'
import { endOf, spentOn } from '../../model/quantities/work.ts'
import { nextBin } from '../firstFit/open.ts'
import { leastCost, type NodePoolOption, type Plan } from '../plan.ts'
import { type ColumnGeneration, createColumnGeneration } from './columnGeneration.ts'
import { type ColumnSpace, columnSpaceOf, spaceBeforeLayout } from './columns.ts'
import { priceBinTypes } from './dualValues.ts'
import { type FillHeuristic, fillBuffers } from './fill.ts'
import { createNeighbours } from './hostRules.ts'
import { createAllotments, type Item } from './items.ts'
import { layOut, type PatternUse, type RoundedColumn } from './layout.ts'
import { mergedUses } from './merge.ts'
import { offersOf } from './offers.ts'
import type { Row } from './rows.ts'
import { areFew, wholeMachines } from './wholeMachines.ts'

const WITH_EVENLY: readonly (readonly FillHeuristic[])[] = [['evenly'], ['dotProduct', 'evenly']]
/** Sets of heuristics to lay pods out by. The first is the best most often. */
const HEURISTICS: HeuristicSets = [['dotProduct'], ...WITH_EVENLY]

type HeuristicSets = readonly [readonly FillHeuristic[], ...(readonly FillHeuristic[])[]]

/** Opens claims for the items. Pods that limits or the budget leave over stay among the pods without a place. Returns their number by item. */
export function pack(plan: Plan, poolOptions: readonly NodePoolOption[], items: readonly Item[]): readonly number[] {
  const layout = cheapestLayout(plan, poolOptions, items)
  const left = items.map(({ count }) => count)
  for (const use of layout.keep()) {
    for (const { item, count } of use.pattern.contents) left[item.id] = (left[item.id] ?? 0) - count * use.times
    open(plan, use)
  }
  return left
}

function cheapestLayout(plan: Plan, poolOptions: readonly NodePoolOption[], items: readonly Item[]): Layout {
  const layouter = createLayouter(plan, poolOptions, items)
  if (isOnePod(items)) return layouter.layoutBy(HEURISTICS[0])
  const columns = layouter.columnGenerationFirst()
  return columns === undefined ? cheapestByHeuristics(plan, poolOptions, items, layouter) : mixedFirst(columns, layouter)
}

/** One pod has nothing to share a machine with: the layout has the cheapest machine that holds it. */
function isOnePod([first, ...others]: readonly Item[]): boolean {
  return others.length === 0 && first?.count === 1
}

/**
 * The whole machines of the mix, and the rest laid out. If this is not close to the mix, rules allow less than the mix assumes, and a layout without
 * it may be cheaper. The same holds if the search for the mix was cut short.
 */
function mixedFirst(columns: ColumnGeneration, { layoutBy }: Layouter): Layout {
  const [first] = HEURISTICS
  const whole = columns.improve()
  const isCutShort = columns.isCutShort()
  const layout = layoutBy(first, whole)
  if (layout.left === 0 && !isCutShort && layout.microUsdPerHour <= columns.cost() * CLOSE_TO_MIX) return layout
  const without = layoutBy(first)
  return (layout.left - without.left || Number(isBetter(without, layout))) > 0 ? without : layout
}

function cheapestByHeuristics(plan: Plan, poolOptions: readonly NodePoolOption[], items: readonly Item[], layouter: Layouter): Layout {
  const [first] = HEURISTICS
  const end = endOf(plan, SHARE_FOR_OTHER_WAYS)
  let best = layouter.layoutBy(first)
  if (best.left > 0) return best
  const enough = NEAR_ENOUGH * leastCost(poolOptions, plan.axes, items)
  const sets: HeuristicSets = items.some(needsMachines) ? [first] : HEURISTICS
  for (const heuristics of sets.slice(1)) {
    if (best.microUsdPerHour <= enough || spentOn(plan.work) > end) break
    const layout = layouter.layoutBy(heuristics)
    if (layout.left === 0 && isBetter(layout, best)) best = layout
  }
  return mixed(areFew(items) ? cheapestWhole(best, layouter) : best, enough, sets, layouter)
}

/** For few pods: the cheapest set of machines. Returns the layout itself if nothing is cheaper. */
function cheapestWhole(layout: Layout, { wholeMachines, layoutBy }: Layouter): Layout {
  const [first] = HEURISTICS
  const whole = wholeMachines(layout.microUsdPerHour)
  const laidOut = whole && layoutBy(first, whole)
  return laidOut !== undefined && laidOut.left === 0 && isBetter(laidOut, layout) ? laidOut : layout
}

/** A mix of patterns with its rest laid out in the way that costs least. Returns the layout itself if no mix is cheaper. */
function mixed(layout: Layout, enough: number, setsWithoutMix: HeuristicSets, layouter: Layouter): Layout {
  const columns = layout.microUsdPerHour <= enough ? undefined : layouter.columnGenerationFor(layout.uses)
  if (columns === undefined) return layout
  const sets = columns.isCoarse ? setsWithoutMix : HEURISTICS
  let best = layout
  for (;;) {
    const rounded = columns.improve()
    const layouts = sets.map((heuristics) => layouter.layoutBy(heuristics, rounded)).filter(({ left }) => left === 0)
    const cheapest = layouts.reduce((found, each) => (isBetter(each, found) ? each : found), best)
    if (cheapest === best || cheapest.microUsdPerHour <= enough || columns.isOver()) return cheapest
    best = cheapest
    learn(columns, layouts, layouter)
  }
}

/** Adds the machines of the layouts to the columns, and machines that are laid out with the dual values of the mix. */
function learn(columns: ColumnGeneration, layouts: readonly Layout[], { layoutBy }: Layouter): void {
  for (const { uses } of layouts) columns.learn(uses)
  for (const heuristics of WITH_EVENLY) columns.learn(layoutBy(heuristics, [], columns.dualValue()).uses)
}

/** Reports whether a layout costs less, or the same with fewer machines. */
function isBetter(one: Layout, other: Layout): boolean {
  return (one.microUsdPerHour - other.microUsdPerHour || one.machines - other.machines) < 0
}

/**
 * Reports whether a rule bounds how many of the pods share a machine. Such machines hold few pods, and other ways of filling them gain next to
 * nothing.
 */
function needsMachines({ rules }: Item): boolean {
  return rules.tightest !== undefined
}

function open(
  plan: Plan,
  { pattern: { poolOption, narrowedTemplate, contents }, allotment: { ceiling, charge }, times }: PatternUse,
): void {
  const minimums = minimumsOf(poolOption.narrowedTemplate.template.requirements)
  for (let made = 0; made < times; made++) {
    const bin = nextBin(plan, { narrowedTemplate: poolOption.narrowedTemplate, minimums, ceiling, charge })
    plan.work.opened++
    plan.bins.push(bin)
    for (const { item, count } of contents) {
      const { podClass, relaxedPod } = item
      putInto(bin, podClass, relaxedPod, count, { narrowedTemplate, cursor: 0 })
      record(bin, podClass, relaxedPod, count)
      plan.work.counts += countsFor(podClass, relaxedPod)
      plan.log.push({ host: bin, podClass, relaxedPod, count })
    }
  }
  for (const { item, count } of contents) plan.left.set(item.podClass, (plan.left.get(item.podClass) ?? 0) - count * times)
}

type Layout = {
  readonly uses: readonly PatternUse[]
  readonly left: number
  readonly microUsdPerHour: number
  readonly machines: number
  /** Takes what the layout needs from limits, and merges machines. Returns the machines. */
  readonly keep: () => readonly PatternUse[]
}

export interface Layouter {
  /**
   * Lays out these columns of a mix, and the other pods by these heuristics. `dualValue`: by default the dual values at dual prices of
   * resources.
   */
  layoutBy(heuristics: readonly FillHeuristic[], columns?: readonly RoundedColumn[], dualValue?: Float64Array): Layout
  /** A mix that may be cheaper than the machines of a layout. Undefined if no columns can be generated. */
  columnGenerationFor(uses: readonly PatternUse[]): ColumnGeneration | undefined
  /** The machines of a choice that costs less than this, for few pods. Undefined if there is none. */
  wholeMachines(most: number): readonly RoundedColumn[] | undefined
  /** A mix of amounts, for pods of too many kinds for exact rows. Undefined if a layout must come first. */
  columnGenerationFirst(): ColumnGeneration | undefined
}

/** Makes layouts of the same items, so that they can be compared before one is kept. */
export function createLayouter(plan: Plan, poolOptions: readonly NodePoolOption[], items: readonly Item[]): Layouter {
  const { axes } = plan
  const pricedBinTypes = priceBinTypes(poolOptions, items, plan)
  const buffers = fillBuffers(createNeighbours(groupsIn(items)), axes, items.length)
  const allotmentOf = createAllotments()
  const limits = poolOptions.map((poolOption) => poolOption.limits)
  const toBase = markAll(limits)
  function layoutBy(
    heuristics: readonly FillHeuristic[],
    columns: readonly RoundedColumn[] = [],
    dualValue = pricedBinTypes.dualValue,
  ): Layout {
    const waiting = items.map((item) => ({ ...item }))
    const tools = { buffers, allotmentOf, heuristics, spending: plan }
    const uses = layOut(offersOf({ ...pricedBinTypes, dualValue }, waiting, axes), tools, columns.map(withOwn(waiting)))
    const used = markAll(limits)
    toBase()
    return {
      uses,
      left: waiting.reduce((sum, { count }) => sum + count, 0),
      microUsdPerHour: uses.reduce((sum, { pattern, times }) => sum + pattern.price * times, 0),
      machines: machinesIn(uses),
      keep() {
        used()
        return mergedUses(uses, tools)
      },
    }
  }

  const binTypes = pricedBinTypes.subproblems.map(({ binType }) => binType)
  // A reservation pays for a limited number of machines, and a mix does not know such limits.
  const isReserved = poolOptions.some(({ reservation }) => reservation !== undefined)
  const generationOver = (space: ColumnSpace | undefined, uses: readonly PatternUse[]): ColumnGeneration | undefined =>
    space && createColumnGeneration(space, { items, uses, dualValue: pricedBinTypes.dualValue }, buffers.neighbours, plan)
  return {
    layoutBy,
    columnGenerationFor: (uses) => (isReserved ? undefined : generationOver(columnSpaceOf(binTypes, items, machinesIn(uses)), uses)),
    wholeMachines: (most) =>
      isReserved ? undefined : wholeMachines({ binTypes, items, neighbours: buffers.neighbours, spending: plan }, most),
    columnGenerationFirst: () => (isReserved ? undefined : generationOver(spaceBeforeLayout(binTypes, items), [])),
  }
}

function machinesIn(uses: readonly PatternUse[]): number {
  return uses.reduce((sum, { times }) => sum + times, 0)
}

/** Returns the same column with copies of the items, whose counts are separate. A row of several columns is copied once. */
function withOwn(items: readonly Item[]): (column: RoundedColumn) => RoundedColumn {
  const known = new Map<Row, Row>()
  const ownOf = (row: Row): Row => {
    const own = known.get(row) ?? { ...row, items: row.items.flatMap(({ id }) => items[id] ?? []) }
    known.set(row, own)
    return own
  }
  return ({ pattern, shares, times }) => ({ pattern, shares: shares.map(({ row, count }) => ({ row: ownOf(row), count })), times })
}

/** One more than the highest id of a group with a rule among host names. */
function groupsIn(items: readonly Item[]): number {
  let highest = -1
  for (const { rules } of items) for (const { group } of rules.groups) highest = Math.max(highest, group)
  return highest + 1
}
