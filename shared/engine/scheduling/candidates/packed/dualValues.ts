/** Dual values of pods: the least that a pod can cost at dual prices of resources and, where a rule demands it, of a place under the rule. */

import type { Requirement } from '../../../../model/requirements.ts'
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { addTimes, demandOf } from '../../model/quantities/amounts.ts'
import { type ByLabel, createByLabel } from '../../model/quantities/byLabel.ts'
import { MOST_ALTERNATIVES, SCARCITY_MARGIN } from '../../model/quantities/tuning.ts'
import { isSpent, type Spending } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import { createPoolOptionsFor, type NodePoolOption, type Plan, type PoolOptionsFor } from '../plan.ts'
import { combinedWith, type Item, joinedWith, type Wish } from './items.ts'

export type DualPrices = {
  /** The price of a unit of each axis, in micro-USD per hour. */
  readonly prices: Float64Array
  /** The price of a place under the rule that asks for most machines. Undefined if no rule asks for machines. */
  readonly slot: { readonly group: TopologyGroup; readonly price: number } | undefined
}

/** A pool option with a constraint: one kind of machine that an item could go to. */
export type BinType = { readonly poolOption: NodePoolOption; readonly narrowedTemplate: NarrowedTemplate }

/** `items`: the items that machines of the bin type take, in their order. */
type PricedBinType = { readonly binType: BinType; readonly duals: DualPrices; readonly items: readonly Item[] }

/** Bin types with their dual prices, and the dual values of items. */
export type PricedBinTypes = {
  readonly subproblems: readonly PricedBinType[]
  /** The dual value of a pod of each item, by id of the item: the least of all bin types that take it. Infinite if no such bin type was priced. */
  readonly dualValue: Float64Array
}

/** Prices the bin types. Bin types that the budget does not reach are left out, and first fit places their pods. */
export function priceBinTypes(
  poolOptions: readonly NodePoolOption[],
  items: readonly Item[],
  { axes, ...spending }: Pick<Plan, 'axes'> & Spending,
): PricedBinTypes {
  const dualValue = new Float64Array(items.length).fill(Number.POSITIVE_INFINITY)
  const poolOptionsFor = createPoolOptionsFor(poolOptions)
  const itemsFor = createItemsFor(items, poolOptionsFor)
  const subproblems = binTypesOf(poolOptions, items, poolOptionsFor, spending).flatMap((binType) => {
    if (isSpent(spending)) return []
    const own = itemsFor(binType)
    const duals = dualPricesFor(binType, own, axes)
    for (const item of own) dualValue[item.id] = Math.min(dualValue[item.id] ?? 0, dualValueIn(duals, item))
    return [{ binType, duals, items: own }]
  })
  return { subproblems, dualValue }
}

/** Returns the items that a bin type takes, in their order. Most pools refuse most items where pods tolerate few of many taints. */
function createItemsFor(items: readonly Item[], poolOptionsFor: PoolOptionsFor): (binType: BinType) => readonly Item[] {
  const byPool = new Map<NodePoolOption, Item[]>()
  for (const item of items) {
    for (const poolOption of poolOptionsFor(item.wish.constraint)) {
      const own = byPool.get(poolOption)
      if (own === undefined) byPool.set(poolOption, [item])
      else own.push(item)
    }
  }
  const finders = new Map<NodePoolOption, ByLabel<Item>>()
  const finderFor = (poolOption: NodePoolOption): ByLabel<Item> => {
    const known = finders.get(poolOption) ?? createByLabel(byPool.get(poolOption) ?? [], ({ wish }, key) => wantedBy(wish, key))
    finders.set(poolOption, known)
    return known
  }
  return (binType) => finderFor(binType.poolOption)(binType.narrowedTemplate.requirements).filter((item) => isWelcome(binType, item))
}

/** What any machine must have on the label to take the wish. */
function wantedBy({ constraint: { alternatives }, pins }: Wish, key: string): Requirement | undefined {
  const pinned = pins.get(key)
  if (pinned !== undefined) return { key, complement: false, values: [pinned] }
  return alternatives.length === 1 ? alternatives[0]?.get(key) : undefined
}

export function isWelcome({ narrowedTemplate }: BinType, { wish }: Item): boolean {
  return joinedWith(narrowedTemplate, wish) !== undefined
}

/** One bin type for each distinct narrowed template that the items ask for. Wishes that the budget does not reach are not asked. */
function binTypesOf(
  poolOptions: readonly NodePoolOption[],
  items: readonly Item[],
  poolOptionsFor: PoolOptionsFor,
  spending: Spending,
): readonly BinType[] {
  const binTypes = new Map<NarrowedTemplate, BinType>()
  const wishes = new Set<Wish>(items.map(({ wish }) => wish))
  const asking = new Map<NodePoolOption, Wish[]>(poolOptions.map((poolOption) => [poolOption, []]))
  for (const wish of wishes) for (const poolOption of poolOptionsFor(wish.constraint)) asking.get(poolOption)?.push(wish)
  for (const [poolOption, own] of asking) {
    const narrowedTemplates = own.flatMap((wish) => (isSpent(spending) ? [] : narrowedTemplatesFor(poolOption, wish)))
    for (const narrowedTemplate of narrowedTemplates)
      if (!binTypes.has(narrowedTemplate)) binTypes.set(narrowedTemplate, { poolOption, narrowedTemplate })
  }
  return [...binTypes.values()]
}

function narrowedTemplatesFor({ narrowedTemplate }: NodePoolOption, wish: Wish): readonly NarrowedTemplate[] {
  const { constraint, pins } = wish
  const ways = constraint.ways.slice(0, MOST_ALTERNATIVES).map((way) => combinedWith(narrowedTemplate, { constraint: way, pins }))
  return [joinedWith(narrowedTemplate, wish), ...ways].filter((each) => each !== undefined).filter(({ order }) => order.length > 0)
}

/** The dual prices of the bin type. `items`: the items that its machines take. */
function dualPricesFor({ narrowedTemplate }: BinType, items: readonly Item[], axes: number): DualPrices {
  const tightest = tightestRule(items)
  const demand = new Float64Array(axes + 1)
  demand.set(demandOf(items, axes))
  demand[axes] = tightest?.hosts ?? 0
  const columns = paretoFront(narrowedTemplate).map(({ place, price }) => {
    const amounts = new Float64Array(axes + 1)
    amounts.set(narrowedTemplate.order[place]?.free ?? [])
    amounts[axes] = 1
    return { price, amounts }
  })
  const prices = steadyPrices(columns, demand, axes)
  const slot = tightest === undefined ? undefined : { group: tightest.group, price: prices[axes] ?? 0 }
  return { prices: prices.slice(0, axes), slot }
}

/**
 * The mean of the dual prices with more demand for each resource in turn. A resource that is nearly scarce has a price then as well. So machines are
 * filled with every resource, and no machines must be bought at the end for what all the others left over.
 */
function steadyPrices(columns: readonly MachineColumn[], demand: Float64Array, axes: number): Float64Array {
  const prices = new Float64Array(demand.length)
  const asked = Array.from(demand.keys()).filter((axis) => axis < axes && (demand[axis] ?? 0) > 0)
  for (const axis of asked) {
    const more = demand.slice()
    more[axis] = (more[axis] ?? 0) * (1 + SCARCITY_MARGIN)
    addTimes(prices, dualPrices(columns, more), 1 / asked.length)
  }
  return prices
}

/** A rule among host names, and how many machines it asks for at least. */
export type TightestRule = { readonly group: TopologyGroup; readonly hosts: number }

/** The rule among host names that asks for most machines. */
export function tightestRule(items: readonly Item[]): TightestRule | undefined {
  const hosts = new Map<TopologyGroup, number>()
  for (const item of items) {
    const rule = item.rules.tightest
    if (rule !== undefined) hosts.set(rule.group, (hosts.get(rule.group) ?? 0) + item.count / rule.most)
  }
  let tightest: TightestRule | undefined
  for (const [group, asked] of hosts) if (tightest === undefined || asked > tightest.hosts) tightest = { group, hosts: asked }
  return tightest
}

function dualValueIn({ prices, slot }: DualPrices, item: Item): number {
  const { podClass, rules } = item
  const { amounts } = podClass
  let dualValue = 0
  for (let axis = 0; axis < prices.length; axis++) dualValue += (prices[axis] ?? 0) * (amounts[axis] ?? 0)
  const rule = rules.tightest
  if (rule !== undefined && slot !== undefined && rule.group === slot.group) dualValue += slot.price / rule.most
  return dualValue
}

/**
 * Dual prices of resources, from the linear programme that buys machines in fractions: min p·x with A·x >= demand and x >= 0. In fractions, a pod
 * costs at least its amounts at these prices.
 */
type MachineColumn = { readonly price: number; readonly amounts: ArrayLike<number> }

/** The most pivots of the simplex method: far more than a handful of rows needs. */
const MOST_PIVOTS = 500
const TINY = 1e-9

/** One price for each row. The price of a row without demand is zero. All prices are zero if no column offers a row that has demand. */
function dualPrices(columns: readonly MachineColumn[], demand: ArrayLike<number>): Float64Array {
  const prices = new Float64Array(demand.length)
  const rows = Array.from({ length: demand.length }, (_, row) => row).filter((row) => (demand[row] ?? 0) > 0)
  if (rows.length === 0 || columns.length === 0) return prices
  if (rows.some((row) => columns.every(({ amounts }) => !((amounts[row] ?? 0) > 0)))) return prices
  const solved = solve(scaledTable(columns, demand, rows))
  for (const [index, row] of rows.entries()) prices[row] = Math.max(0, solved[index] ?? 0) / (demand[row] ?? 1)
  return prices
}

/** Solves the dual, max Σy with Aᵀ·y <= p and y >= 0, by the simplex method on a dense tableau. The start y = 0 is always feasible. */
function solve(table: Table): Float64Array {
  const { goal, rows, width } = table
  const variables = width - 1
  // The variable of each line and of each column. The numbers of slack variables follow the variables.
  const basis = Int32Array.from({ length: rows }, (_, row) => variables + row)
  const outside = Int32Array.from({ length: variables }, (_, at) => at)
  for (let pivot = 0; pivot < MOST_PIVOTS; pivot++) {
    const entering = mostNegative(goal, variables)
    if (entering < 0) break
    const leaving = firstBound(table, entering)
    if (leaving < 0) break
    exchange(table, leaving, entering)
    const line = basis[leaving] ?? 0
    basis[leaving] = outside[entering] ?? 0
    outside[entering] = line
  }
  const values = new Float64Array(variables)
  for (let row = 0; row < rows; row++) {
    const variable = basis[row] ?? variables
    if (variable < variables) values[variable] = table.cells[row * width + variables] ?? 0
  }
  return values
}

/**
 * The tableau. Each line is a constraint, that is a column of the primal: its coefficients of the variables, then the right-hand side. The basis
 * implies the slack variables.
 */
type Table = { readonly cells: Float64Array; readonly goal: Float64Array; readonly rows: number; readonly width: number }

/** Scales every resource to a demand of 1, so that bytes and cores have the same weight. An infinite amount covers a resource at once. */
function scaledTable(columns: readonly MachineColumn[], demand: ArrayLike<number>, asked: readonly number[]): Table {
  const rows = columns.length
  const variables = asked.length
  const width = variables + 1
  const cells = new Float64Array(rows * width)
  for (let row = 0; row < rows; row++) {
    const { price = 0, amounts = [] }: Partial<MachineColumn> = columns[row] ?? {}
    for (let at = 0; at < variables; at++) {
      const axis = asked[at] ?? 0
      cells[row * width + at] = Math.min(1, Math.max(0, amounts[axis] ?? 0) / (demand[axis] ?? 1))
    }
    cells[row * width + variables] = price
  }
  return { cells, goal: new Float64Array(width).fill(-1, 0, variables), rows, width }
}

function mostNegative(goal: Float64Array, count: number): number {
  let found = -1
  let least = -TINY
  for (let at = 0; at < count; at++) {
    const value = goal[at] ?? 0
    if (value < least) {
      least = value
      found = at
    }
  }
  return found
}

function firstBound({ cells, rows, width }: Table, entering: number): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (let row = 0, start = 0; row < rows; row++, start += width) {
    const factor = cells[start + entering] ?? 0
    if (factor <= TINY) continue
    const ratio = (cells[start + width - 1] ?? 0) / factor
    if (ratio < least) {
      least = ratio
      found = row
    }
  }
  return found
}

/** A pivot: the entering variable takes the place of the leaving variable in the basis. */
function exchange({ cells, goal, rows, width }: Table, leaving: number, entering: number): void {
  const line = cells.subarray(leaving * width, (leaving + 1) * width)
  const pivot = line[entering] ?? 1
  for (let at = 0; at < width; at++) line[at] = (line[at] ?? 0) / pivot
  line[entering] = 1 / pivot
  for (let row = 0; row < rows; row++) if (row !== leaving) eliminate(cells, row * width, line, entering)
  eliminate(goal, 0, line, entering)
}

function eliminate(cells: Float64Array, start: number, line: Float64Array, entering: number): void {
  const factor = cells[start + entering] ?? 0
  if (factor === 0) return
  cells[start + entering] = 0
  for (let at = 0; at < line.length; at++) cells[start + at] = (cells[start + at] ?? 0) - factor * (line[at] ?? 0)
}
