/**
 * The cheapest mix of patterns, by column generation. A row is a kind of pods that can stand in for each other on a machine, or pods of the same
 * amounts. The mix so far gives each row a dual value. For each size a pricing subproblem looks for a pattern whose pods are worth more than the
 * machine costs. Whole machines of the mix are bought. The pods of its fractions are few, and are laid out as usual.
 */

import { addAll } from '../../../../base/lists.ts'
import {
  COARSE_COLUMNS,
  COLUMN_COST_PER_MACHINE,
  type ColumnEffort,
  type ColumnTuning,
  FINE_COLUMNS,
  FIRST_DUAL_VALUES,
  MANY_MACHINES,
  MOST_FAILURES,
  SHARE_FOR_COLUMNS,
} from '../../model/quantities/tuning.ts'
import { endOf, isSpent, type Spending, spentOn, type Work } from '../../model/quantities/work.ts'
import {
  amountsColumnMaker,
  type ColumnOf,
  type ColumnSpace,
  cheapestAlone,
  columnMaker,
  columnsOf,
  type Offered,
  type Subproblem,
  subproblemsOf,
} from './columns.ts'
import type { Neighbours } from './hostRules.ts'
import type { Item } from './items.ts'
import type { PatternUse, RoundedColumn } from './layout.ts'
import { type KnapsackRows, pricingKnapsack } from './pricingKnapsack.ts'
import { type Count, createRestrictedMaster, type RestrictedMaster } from './restrictedMaster.ts'
import type { Row } from './rows.ts'

const ROUNDING = 1e-6

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

/**
 * What the search begins with. `uses`: the machines of a layout, which are the first columns. `dualValue`: the dual values of items, by id, at dual
 * prices of resources.
 */
type Beginning = { readonly items: readonly Item[]; readonly uses: readonly PatternUse[]; readonly dualValue: Float64Array }

/** Undefined if no machine takes a pod of some row alone, or if the budget is spent. */
export function createColumnGeneration(
  space: ColumnSpace,
  { items, uses, dualValue }: Beginning,
  neighbours: Neighbours,
  spending: Spending,
): ColumnGeneration | undefined {
  const { work } = spending
  const { rows, places, isCoarse, machines } = space
  const tuning = isCoarse ? COARSE_COLUMNS : FINE_COLUMNS
  const columnOf = isCoarse ? amountsColumnMaker(rows, work) : columnMaker(rows, neighbours, work)
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
  const search = { subproblems, knapsackRows, columnOf, known, tuning, machines: Math.max(MANY_MACHINES, machines), work, end }
  const isCutShort = (): boolean => spentOn(work) >= end
  let turn = 0
  return {
    isCoarse,
    isOver: () => turn >= tuning.turns || isCutShort(),
    isCutShort,
    cost: () => master.cost(),
    improve() {
      turn++
      const asked = isCoarse && turn === 1 ? firstDualValues(rows, dualValue) : master.dualValue.slice()
      addColumns(master, { ...search, asked })
      return master.solution().flatMap(([{ pattern, counts }, times]) => {
        const whole = Math.floor(times + ROUNDING)
        return whole > 0 ? [{ pattern, shares: sharesOf(counts, rows), times: whole }] : []
      })
    },
    learn: (more) => addAll(known, columnsOf(more, rows)),
    dualValue() {
      const inMix = new Float64Array(items.length)
      for (const [row, { items: own }] of rows.entries()) for (const { id } of own) inMix[id] = master.dualValue[row] ?? 0
      return inMix
    },
  }
}

/** A row has the least dual value of its items. */
function firstDualValues(rows: readonly Row[], dualValue: Float64Array): Float64Array {
  const leastOfRow = ({ items }: Row): number => items.reduce((least, { id }) => Math.min(least, dualValue[id] ?? 0), Number.MAX_VALUE)
  return Float64Array.from(rows, (row) => FIRST_DUAL_VALUES * leastOfRow(row))
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

type Search = {
  readonly subproblems: readonly Subproblem[]
  readonly knapsackRows: KnapsackRows
  readonly columnOf: ColumnOf
  /** All columns found so far. A buffer. A column that left the basis may enter it again. */
  readonly known: Offered[]
  readonly tuning: ColumnTuning
  /** About how many machines the pods need, at least `MANY_MACHINES`. */
  readonly machines: number
  readonly work: Work
  /** The smoothed dual values at which a pattern was last sought. A buffer. */
  readonly asked: Float64Array
  /** The count of work at which the search ends. */
  readonly end: number
}

function addColumns(master: RestrictedMaster<Offered>, search: Search): void {
  const { subproblems, tuning, machines, work, end } = search
  const leastGain = tuning.leastGain / machines
  for (const subproblem of subproblems) subproblem.rests = 0
  for (let idle = 0, round = 0; spentOn(work) < end; round++) {
    const effort = tuning.efforts[idle]
    if (effort === undefined) return
    const due = idle === 0 ? subproblems.filter(({ rests }) => rests <= round) : subproblems
    const cost = master.cost()
    const isBetter = addRound(master, { ...search, subproblems: due }, effort, round)
    idle = isBetter && cost - master.cost() >= cost * leastGain ? 0 : idle + 1
  }
}

/** Offers the known columns, and for each size the best pattern that is found. Returns true if a column enters the basis. */
function addRound(master: RestrictedMaster<Offered>, search: Search, { sets, dualSmoothing }: ColumnEffort, round: number): boolean {
  const { subproblems, knapsackRows, columnOf, known, tuning, machines, work, asked, end } = search
  const most = Math.min(sets, Math.ceil(machines * tuning.setsPerMachine))
  const before = asked.slice()
  work.shapes += known.length
  let isBetter = false
  for (const column of known) if (master.offer(column)) isBetter = true
  for (const subproblem of subproblems) {
    if (spentOn(work) >= end) break
    smooth(asked, before, master.dualValue, dualSmoothing)
    const counts = pricingKnapsack(subproblem.knapsack, knapsackRows, asked, most, work)
    const column = counts && columnOf(subproblem, counts)
    subproblem.failures = column === undefined ? Math.min(MOST_FAILURES, subproblem.failures + 1) : 0
    subproblem.rests = round + 2 ** subproblem.failures
    if (column === undefined) continue
    known.push(column)
    if (master.offer(column)) isBetter = true
  }
  return isBetter
}

/** Sets the dual values to ask at: between the values that were asked at before and the present ones. */
function smooth(asked: Float64Array, before: Float64Array, dualValue: Float64Array, dualSmoothing: number): void {
  for (let row = 0; row < asked.length; row++) asked[row] = dualSmoothing * (before[row] ?? 0) + (1 - dualSmoothing) * (dualValue[row] ?? 0)
}
