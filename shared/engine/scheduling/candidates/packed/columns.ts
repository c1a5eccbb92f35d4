/** The columns that column generation works with: machines filled with pods of some rows, at their cheapest sizes. */

import { addTimes, countFitting } from '../../model/quantities/amounts.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { ColumnSpace } from './columnSpace.ts'
import { type BinType, isWelcome } from './dualValues.ts'
import type { Pattern, PatternUse } from './layout.ts'
import { machineOf, takeOfRow } from './machine.ts'
import type { Neighbours } from './neighbours.ts'
import type { Knapsack, KnapsackRows } from './pricingKnapsack.ts'
import type { Column, Count } from './restrictedMaster.ts'
import type { Row } from './rows.ts'
import { cheapestHolding } from './sizes.ts'

export type Offered = Column & { readonly pattern: Pattern }

/**
 * The pricing subproblem of one size. Buffers: `failures` counts the times in a row that it had no column, and `rests` is the round before which it
 * is not asked.
 */
export type Subproblem = { readonly binType: BinType; readonly place: number; readonly knapsack: Knapsack; failures: number; rests: number }

export type ColumnOf = (subproblem: Subproblem, counts: readonly Count[]) => Offered | undefined

/** The places that rules among host names leave on a machine are further dimensions of its knapsack. */
export function subproblemsOf({ rows, places, sizes }: ColumnSpace): readonly Subproblem[] {
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
export function columnMaker(rows: readonly Row[], neighbours: Neighbours, work: Work): ColumnOf {
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

/**
 * Makes columns of amounts: the cheapest size that holds the pods. Which pods of the rows rules and labels let in is only known when the machine is
 * filled, so that a column may promise too much.
 */
export function amountsColumnMaker(rows: readonly Row[], work: Work): ColumnOf {
  return ({ binType: { poolOption, narrowedTemplate }, place }, counts) => {
    work.joins += counts.length
    const total = new Float64Array(narrowedTemplate.order[place]?.free.length ?? 0)
    // Hot code: no destructuring, since it makes an iterator for each count.
    for (const each of counts) addTimes(total, rows[each[0]]?.amounts ?? total, each[1])
    const cheapest = cheapestHolding(narrowedTemplate, total, poolOption)
    if (cheapest === undefined) return undefined
    const machine = { narrowedTemplate, contents: [], recipe: [], total, dualValue: 0 }
    return { pattern: { ...machine, ...cheapest, poolOption, binType: narrowedTemplate, score: 0 }, price: cheapest.price, counts }
  }
}

/** The machines of a layout as columns. A machine with pods of an item that no row has is left out. */
export function columnsOf(uses: readonly PatternUse[], rows: readonly Row[]): readonly Offered[] {
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

export function cheapestAlone(
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
