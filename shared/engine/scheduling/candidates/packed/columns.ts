/** The columns that column generation works with: machines filled with pods of some rows, at their cheapest sizes. */

import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { type Amounts, addTimes, countFitting, demandOf, fits } from '../../model/quantities/amounts.ts'
import { LARGEST_SHARE, MACHINES_PER_ROW, MOST_ROWS } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { NodePoolOption } from '../plan.ts'
import { type BinType, isWelcome, type TightestRule, tightestRule } from './dualValues.ts'
import type { Neighbours } from './hostRules.ts'
import type { Item } from './items.ts'
import type { Pattern, PatternUse } from './layout.ts'
import { cheapestHolding } from './offers.ts'
import type { Knapsack, KnapsackRows } from './pricingKnapsack.ts'
import type { Column, Count } from './restrictedMaster.ts'
import { groupedBy, hasMoreRows, machineOf, numbers, type Places, placesOf, type Row, rowsOf, takeOfRow } from './rows.ts'

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

/** The space of column generation: the rows of the restricted master, and the sizes that patterns are sought for. */
export type ColumnSpace = {
  readonly rows: readonly Row[]
  readonly places: readonly Places[]
  readonly sizes: readonly PricedSize[]
  /** True if a row is amounts alone. A pattern is then only what the rules may allow. */
  readonly isCoarse: boolean
  /** About how many machines the pods need: the machines of a layout, or the least number that a rule asks for. */
  readonly machines: number
}

/** A size of machine by its place in the order of the bin type. */
export type PricedSize = { readonly binType: BinType; readonly place: number; readonly price: number }

/**
 * Exact rows where these are few enough for columns, and no more than the machines of a layout. Otherwise rows of amounts. Undefined: the rows of
 * amounts are too many as well.
 */
export function columnSpaceOf(binTypes: readonly BinType[], items: readonly Item[], machines: number): ColumnSpace | undefined {
  const rows = rowsOf(items)
  if (isWithin(rows, machines)) return { rows, places: placesOf(rows), sizes: binTypes.flatMap(sizesOf), isCoarse: false, machines }
  return coarseSpaceOf(binTypes, items, tightestRule(items), machines)
}

/**
 * Rows of amounts where exact rows are too many for columns however many machines there are, and a rule says before any layout how many machines are
 * needed. Undefined otherwise.
 */
export function spaceBeforeLayout(binTypes: readonly BinType[], items: readonly Item[]): ColumnSpace | undefined {
  const rule = items.length > MOST_ROWS ? tightestRule(items) : undefined
  if (rule === undefined || !hasMoreRows(items, MOST_ROWS)) return undefined
  return coarseSpaceOf(binTypes, items, rule, Math.floor(rule.hosts))
}

/** Pods of the same amounts are one row. Which pods of the row join is decided when a machine is filled. */
function coarseSpaceOf(
  binTypes: readonly BinType[],
  items: readonly Item[],
  rule: TightestRule | undefined,
  machines: number,
): ColumnSpace | undefined {
  const own = [...new Set(binTypes.map(({ poolOption }) => poolOption))].map(asBinType)
  const rows = coarseRowsOf(items, own, rule)
  if (!isWithin(rows, machines)) return undefined
  const sizes = own.flatMap(sizesOf)
  if (rule === undefined) return { rows, places: [], sizes, isCoarse: true, machines }
  const near = sizesNearShare(sizes, items, rows, Math.min(rule.hosts, machines))
  return { rows, places: placesUnder(rule, rows), sizes: near, isCoarse: true, machines }
}

function isWithin({ length }: readonly Row[], machines: number): boolean {
  return length <= MOST_ROWS && machines >= length * MACHINES_PER_ROW
}

/** The bin type of the pool option without a constraint. */
function asBinType(poolOption: NodePoolOption): BinType {
  return { poolOption, narrowedTemplate: poolOption.narrowedTemplate }
}

function sizesOf(binType: BinType): readonly PricedSize[] {
  return paretoFront(binType.narrowedTemplate).map(({ place, price }) => ({ binType, place, price }))
}

/** One row for pods of the same amounts that the same pools take. Pods under the rule are in rows of their own. */
function coarseRowsOf(items: readonly Item[], binTypes: readonly BinType[], rule: TightestRule | undefined): readonly Row[] {
  const numberOf = numbers()
  const takersOf = (item: Item): string => binTypes.map((binType) => isWelcome(binType, item)).join()
  return groupedBy(items, (item) => `${numberOf(item.podClass.amounts)} ${isUnder(rule, item)} ${takersOf(item)}`, 'any')
}

function isUnder(rule: TightestRule | undefined, { rules: { tightest } }: Item): boolean {
  return rule !== undefined && tightest?.group === rule.group
}

/** The places of one machine that pods under the rule share. */
function placesUnder(rule: TightestRule, rows: readonly Row[]): readonly Places[] {
  const under = rows.filter(({ items: [first] }) => first !== undefined && isUnder(rule, first))
  const most = under
    .flatMap(({ items }) => items)
    .reduce((least, { rules }) => Math.min(least, rules.tightest?.most ?? least), Number.POSITIVE_INFINITY)
  return [{ rows: new Set(under), most }]
}

/**
 * The sizes up to some times the share of one machine, and for each row the cheapest size that holds one pod. Where a rule asks for many machines,
 * larger machines would leave too few pods for the other machines.
 */
function sizesNearShare(
  sizes: readonly PricedSize[],
  items: readonly Item[],
  rows: readonly Row[],
  machines: number,
): readonly PricedSize[] {
  const [first] = items
  if (first === undefined) return sizes
  const shares = LARGEST_SHARE / Math.max(1, machines)
  const share = demandOf(items, first.podClass.amounts.length).map((amount) => amount * shares)
  const enough = cheapestWith(sizes, share)?.price ?? Number.POSITIVE_INFINITY
  const forOne = new Set(rows.map(({ amounts, items: [any] }) => cheapestWith(sizes, amounts, any)))
  return sizes.filter((size) => size.price <= enough || forOne.has(size))
}

/** The cheapest of the sizes that have the amounts free and whose bin type takes the item. */
function cheapestWith(sizes: readonly PricedSize[], amounts: Amounts, item?: Item): PricedSize | undefined {
  let found: PricedSize | undefined
  for (const size of sizes) {
    const { binType, place, price } = size
    if (found !== undefined && price >= found.price) continue
    if (fits(amounts, binType.narrowedTemplate.order[place]?.free ?? NOTHING) && (item === undefined || isWelcome(binType, item)))
      found = size
  }
  return found
}

const NOTHING: Amounts = new Float64Array()
