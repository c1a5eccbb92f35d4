/** Makes layouts of the same items, so that they can be compared before one is kept. */
import { markAll } from '../../model/catalog/limits.ts'
import type { NodePoolOption, Plan } from '../plan.ts'
import { createAllotments } from './allotments.ts'
import { type ColumnGeneration, createColumnGeneration } from './columnGeneration.ts'
import { type ColumnSpace, columnSpaceOf, spaceBeforeLayout } from './columnSpace.ts'
import { priceBinTypes } from './dualValues.ts'
import { type FillHeuristic, fillBuffers } from './fill.ts'
import type { Item } from './items.ts'
import { layOut, type PatternUse, type RoundedColumn } from './layout.ts'
import { mergedUses } from './merge.ts'
import { createNeighbours } from './neighbours.ts'
import { offersOf } from './offers.ts'
import type { Row } from './rows.ts'
import { wholeMachines } from './wholeMachines.ts'

export type Layout = {
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
      isReserved ? undefined : wholeMachines({ binTypes, items, neighbours: buffers.neighbours, work: plan.work }, most),
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
