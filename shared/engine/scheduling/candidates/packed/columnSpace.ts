/** What columns are generated over: the rows of the restricted master, and the machines that patterns are sought for. */

import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { addTimes, fits } from '../../model/quantities/amounts.ts'
import { LARGEST_SHARE, MACHINES_PER_ROW, MOST_ROWS } from '../../model/quantities/tuning.ts'
import type { NodePoolOption } from '../plan.ts'
import { type BinType, isWelcome, type TightestRule, tightestRule } from './dualValues.ts'
import type { Item } from './items.ts'
import { groupedBy, numbers, type Places, placesOf, type Row, rowsOf } from './rows.ts'

export type ColumnSpace = {
  readonly rows: readonly Row[]
  readonly places: readonly Places[]
  readonly sizes: readonly PricedSize[]
  /** A row is amounts alone, and a pattern what the rules may allow. */
  readonly isCoarse: boolean
}

/** A size of machine by its place in the order of the bin type. */
export type PricedSize = { readonly binType: BinType; readonly place: number; readonly price: number }

/**
 * Pods that a machine can take for each other are one row. Where these rows are too many, or more than machines, pods of the same amounts are one row, and
 * the rules decide when a machine is filled which of the pods join. Undefined: the rows of amounts are too many as well.
 */
export function columnSpaceOf(binTypes: readonly BinType[], items: readonly Item[], machines: number): ColumnSpace | undefined {
  const isWithin = (count: number): boolean => count <= MOST_ROWS && machines >= count * MACHINES_PER_ROW
  const rows = rowsOf(items)
  if (isWithin(rows.length)) return { rows, places: placesOf(rows), sizes: binTypes.flatMap(sizesOf), isCoarse: false }
  const own = [...new Set(binTypes.map(({ poolOption }) => poolOption))].map(asBinType)
  const rule = tightestRule(items)
  const coarse = coarseRowsOf(items, own, rule)
  if (!isWithin(coarse.length)) return undefined
  const sizes = own.flatMap(sizesOf)
  if (rule === undefined) return { rows: coarse, places: [], sizes, isCoarse: true }
  const near = sizesNearShare(sizes, items, Math.min(rule.hosts, machines))
  return { rows: coarse, places: placesUnder(rule, coarse), sizes: near, isCoarse: true }
}

/** Machines of which nothing is asked but what the pool asks. */
function asBinType(poolOption: NodePoolOption): BinType {
  return { poolOption, narrowedTemplate: poolOption.narrowedTemplate }
}

function sizesOf(binType: BinType): readonly PricedSize[] {
  return paretoFront(binType.narrowedTemplate).map(({ place, price }) => ({ binType, place, price }))
}

/** Pods of the same amounts that the same pools take, and apart from others the pods under the rule. */
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

/** Where a rule asks for many machines, larger sizes than some times the share of one machine would leave other machines without company. */
function sizesNearShare(sizes: readonly PricedSize[], items: readonly Item[], machines: number): readonly PricedSize[] {
  const [first] = items
  if (first === undefined) return sizes
  const share = new Float64Array(first.podClass.amounts.length)
  for (const { podClass, count } of items) addTimes(share, podClass.amounts, (count * LARGEST_SHARE) / Math.max(1, machines))
  const isMore = ({ binType, place }: PricedSize): boolean => fits(share, binType.narrowedTemplate.order[place]?.free ?? share)
  const enough = sizes.filter(isMore).reduce((least, { price }) => Math.min(least, price), Number.POSITIVE_INFINITY)
  return sizes.filter(({ price }) => price <= enough)
}
