/** The space of column generation: the rows of the restricted master, and the sizes that patterns are sought for. */

import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { type Amounts, demandOf, fits } from '../../model/quantities/amounts.ts'
import { LARGEST_SHARE, MACHINES_PER_ROW, MOST_ROWS } from '../../model/quantities/tuning.ts'
import type { NodePoolOption } from '../plan.ts'
import { type BinType, isWelcome, type TightestRule, tightestRule } from './dualValues.ts'
import type { Item } from './items.ts'
import { groupedBy, hasMoreRows, numbers, type Places, placesOf, type Row, rowsOf } from './rows.ts'

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
