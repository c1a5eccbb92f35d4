/**
 * The cheapest mix of patterns, by column generation. A row is a kind of pods that can stand in for each other on a machine, or pods of the same
 * amounts. The mix so far gives each row a dual value. For each size a pricing subproblem looks for a pattern whose pods are worth more than the
 * machine costs. Whole machines of the mix are bought. The pods of its fractions are few, and are laid out as usual.
 */

import { addAll } from '../../../../base/lists.ts'
import { countFitting } from '../../model/quantities/amounts.ts'
import {
  COARSE_COLUMNS,
  COLUMN_COST_PER_MACHINE,
  type ColumnEffort,
  type ColumnTuning,
  FINE_COLUMNS,
  MOST_FAILURES,
  SHARE_FOR_COLUMNS,
} from '../../model/quantities/tuning.ts'
import { endOf, isSpent, type Spending, spentOn, type Work } from '../../model/quantities/work.ts'
import type { ColumnSpace } from './columnSpace.ts'
import { type BinType, isWelcome } from './dualValues.ts'
import type { Item } from './items.ts'
import type { Pattern, PatternUse, RoundedColumn } from './layout.ts'
import { machineOf, takeOfRow } from './machine.ts'
import type { Neighbours } from './neighbours.ts'
import { type Knapsack, type KnapsackRows, pricingKnapsack } from './pricingKnapsack.ts'
import { type Column, type Count, createRestrictedMaster, type RestrictedMaster } from './restrictedMaster.ts'
import type { Row } from './rows.ts'
import { cheapestHolding } from './sizes.ts'

const ROUNDING = 1e-6

type Offered = Column & { readonly pattern: Pattern }

/**
 * The pricing subproblem of one size. Buffers: `failures` counts the times in a row that it had no column, and `rests` is the round before which it
 * is not asked.
 */
type Subproblem = { readonly binType: BinType; readonly place: number; readonly knapsack: Knapsack; failures: number; rests: number }

/** A mix of patterns. It becomes cheaper as more patterns are known. */
export interface ColumnGeneration {
  /** True if its rows are amounts alone. */
  readonly isCoarse: boolean
  /** True if it does not pay to improve the mix once more. */
  isOver(): boolean
  /** True if the search ended for want of budget, so that the mix may be far from the cheapest. */
  isCutShort(): boolean
  /** The cost of the mix with fractions of machines, in micro-USD per hour. */
  cost(): number
  /** Adds patterns that make the mix cheaper. Returns the whole machines of the mix. */
  improve(): readonly RoundedColumn[]
  /** Adds the machines of a layout to the known columns. */
  learn(uses: readonly PatternUse[]): void
  /** The dual value of each item, by its id: what one more of its pods costs in the mix. */
  dualValue(): Float64Array
}

/** `uses`: the machines of a layout, which are the first columns. Undefined if no machine takes a pod of some row alone, or if the budget is spent. */
export function createColumnGeneration(
  space: ColumnSpace,
  items: readonly Item[],
  uses: readonly PatternUse[],
  neighbours: Neighbours,
  spending: Spending,
): ColumnGeneration | undefined {
  const { work } = spending
  const { rows, places, isCoarse, machines } = space
  const tuning = isCoarse ? COARSE_COLUMNS : FINE_COLUMNS
  const columnOf = columnMaker(rows, neighbours, work)
  const subproblems = subproblemsOf(space)
  const knapsackRows: KnapsackRows = {
    amounts: rows.map((row) => Float64Array.from([...row.amounts, ...places.map((each) => (each.rows.has(row) ? 1 : 0))])),
    most: rows.map((row) => mostTogether(row, neighbours)),
  }
  const alone = rows.map((_, row) => cheapestAlone(row, subproblems, knapsackRows, columnOf))
  if (isSpent(spending) || !alone.every((column) => column !== undefined)) return undefined
  const master = createRestrictedMaster<Offered>(rows.map(waitingOf), alone)
  const known = [...alone, ...columnsOf(uses, rows)]
  const end = Math.min(endOf(spending, SHARE_FOR_COLUMNS), spentOn(work) + machines * COLUMN_COST_PER_MACHINE)
  const search = { subproblems, knapsackRows, columnOf, known, tuning, work, end }
  const isCutShort = (): boolean => spentOn(work) >= end
  let turn = 0
  return {
    isCoarse,
    isOver: () => turn >= tuning.turns || isCutShort(),
    isCutShort,
    cost: () => master.cost(),
    improve() {
      turn++
      addColumns(master, { ...search, asked: master.dualValue.slice() })
      return master.solution().flatMap(([{ pattern, counts }, times]) => {
        const whole = Math.floor(times + ROUNDING)
        return whole > 0 ? [{ pattern, shares: sharesOf(counts, rows), times: whole }] : []
      })
    },
    learn: (more) => addAll(known, columnsOf(more, rows)),
    dualValue() {
      const dualValue = new Float64Array(items.length)
      for (const [row, { items: own }] of rows.entries()) for (const { id } of own) dualValue[id] = master.dualValue[row] ?? 0
      return dualValue
    },
  }
}

function waitingOf({ items }: Row): number {
  return items.reduce((sum, { count }) => sum + count, 0)
}

function sharesOf(counts: readonly Count[], rows: readonly Row[]): RoundedColumn['shares'] {
  return counts.flatMap(([at, count]) => {
    const row = rows[at]
    return row === undefined ? [] : [{ row, count }]
  })
}

/** The most pods of the row that rules among host names and host ports let onto one machine. */
function mostTogether({ items }: Row, neighbours: Neighbours): number {
  neighbours.clear()
  return items.reduce((sum, { rules, count }) => sum + Math.min(count, neighbours.room(rules)), 0)
}

type ColumnOf = (subproblem: Subproblem, counts: readonly Count[]) => Offered | undefined

type Search = {
  readonly subproblems: readonly Subproblem[]
  readonly knapsackRows: KnapsackRows
  readonly columnOf: ColumnOf
  /** All columns found so far. A buffer. A column that left the basis may enter it again. */
  readonly known: Offered[]
  readonly tuning: ColumnTuning
  readonly work: Work
  /** The smoothed dual values at which a pattern was last sought. A buffer. */
  readonly asked: Float64Array
  /** The count of work at which the search ends. */
  readonly end: number
}

function addColumns(master: RestrictedMaster<Offered>, search: Search): void {
  const { subproblems, tuning, work, end } = search
  for (const subproblem of subproblems) subproblem.rests = 0
  for (let idle = 0, round = 0; spentOn(work) < end; round++) {
    const effort = tuning.efforts[idle]
    if (effort === undefined) return
    const due = idle === 0 ? subproblems.filter(({ rests }) => rests <= round) : subproblems
    const cost = master.cost()
    const isBetter = addRound(master, { ...search, subproblems: due }, effort, round)
    idle = isBetter && cost - master.cost() >= cost * tuning.leastGain ? 0 : idle + 1
  }
}

/** Offers the known columns, and for each size the best pattern that is found. Returns true if a column enters the basis. */
function addRound(master: RestrictedMaster<Offered>, search: Search, { sets, dualSmoothing }: ColumnEffort, round: number): boolean {
  const { subproblems, knapsackRows, columnOf, known, work, asked, end } = search
  const before = asked.slice()
  work.shapes += known.length
  let isBetter = known.reduce((any, column) => master.offer(column) || any, false)
  for (const subproblem of subproblems) {
    if (spentOn(work) >= end) break
    asked.set(master.dualValue.map((each, row) => dualSmoothing * (before[row] ?? each) + (1 - dualSmoothing) * each))
    const counts = pricingKnapsack(subproblem.knapsack, knapsackRows, asked, sets, work)
    const column = counts && columnOf(subproblem, counts)
    subproblem.failures = column === undefined ? Math.min(MOST_FAILURES, subproblem.failures + 1) : 0
    subproblem.rests = round + 2 ** subproblem.failures
    if (column === undefined) continue
    known.push(column)
    if (master.offer(column)) isBetter = true
  }
  return isBetter
}

/** The places that rules among host names leave on a machine are further dimensions of its knapsack. */
function subproblemsOf({ rows, places, sizes }: ColumnSpace): readonly Subproblem[] {
  const room = places.map(({ most }) => most)
  const welcomes = (binType: BinType): readonly boolean[] =>
    rows.map(({ items: [first] }) => first !== undefined && isWelcome(binType, first))
  const takes = new Map([...new Set(sizes.map(({ binType }) => binType))].map((binType) => [binType, welcomes(binType)]))
  return sizes.flatMap(({ binType, place, price }) => {
    const size = binType.narrowedTemplate.order[place]
    if (size === undefined) return []
    const free = Float64Array.from([...size.free, ...room])
    return [{ binType, place, knapsack: { price, free, takes: takes.get(binType) ?? [] }, failures: 0, rests: 0 }]
  })
}

/**
 * Makes columns: fills a machine, and asks for the cheapest size that meets all its wishes. Pods that cannot join the pods before them are left out.
 * Undefined if the machine is empty or no such size may be bought.
 */
function columnMaker(rows: readonly Row[], neighbours: Neighbours, work: Work): ColumnOf {
  return ({ binType: { poolOption, narrowedTemplate: binType }, place }, counts) => {
    const size = binType.order[place]
    if (size === undefined) return undefined
    const machine = machineOf(binType, size, neighbours)
    const taken = counts.flatMap(([at, count]): readonly Count[] => {
      const row = rows[at]
      const own = row === undefined ? 0 : takeOfRow(machine, row, count)
      return own === 0 ? [] : [[at, own]]
    })
    work.joins += machine.joins
    const cheapest = taken.length === 0 ? undefined : cheapestHolding(machine.narrowedTemplate, machine.total, poolOption)
    return cheapest && { pattern: { ...machine, ...cheapest, poolOption, binType, score: 0 }, price: cheapest.price, counts: taken }
  }
}

/** The machines of a layout as columns. A machine with pods of an item that no row has is left out. */
function columnsOf(uses: readonly PatternUse[], rows: readonly Row[]): readonly Offered[] {
  const rowOf = new Map(rows.flatMap(({ items }, at) => items.map(({ id }) => [id, at] as const)))
  return uses.flatMap(({ pattern }) => {
    const counts = new Map<number, number>()
    for (const { item, count } of pattern.contents) {
      const at = rowOf.get(item.id)
      if (at === undefined) return []
      counts.set(at, (counts.get(at) ?? 0) + count)
    }
    return [{ pattern, price: pattern.price, counts: [...counts] }]
  })
}

function cheapestAlone(
  row: number,
  subproblems: readonly Subproblem[],
  { amounts, most }: KnapsackRows,
  columnOf: ColumnOf,
): Offered | undefined {
  let best: Offered | undefined
  let least = Number.POSITIVE_INFINITY
  for (const subproblem of subproblems) {
    const { free, price, takes } = subproblem.knapsack
    const count = takes[row] === true ? countFitting(amounts[row] ?? free, free, most[row] ?? 0) : 0
    if (count === 0 || price / count >= least) continue
    const column = columnOf(subproblem, [[row, count]])
    const each = column === undefined ? least : column.price / (column.counts[0]?.[1] ?? 1)
    if (each >= least) continue
    best = column
    least = each
  }
  return best
}
