/** What pods are worth: the least they can cost at dual prices of resources and, where rules demand it, of a machine of their own. */

import type { Requirements } from '../../../../model/requirements.ts'
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { addTimes } from '../../model/quantities/amounts.ts'
import { createByLabel } from '../../model/quantities/byLabel.ts'
import { MOST_ALTERNATIVES, SCARCITY_MARGIN } from '../../model/quantities/tuning.ts'
import { isSpent, type Spending } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { NodePoolOption, Plan } from '../plan.ts'
import { createPoolOptionsFor } from '../poolOptionsFor.ts'
import { dualPrices, type MachineColumn } from './duals.ts'
import { combinedWith, type Item, joinedWith, type Wish } from './items.ts'

export type DualPrices = {
  /** Price of a unit of each axis. */
  readonly prices: Float64Array
  /** Price of a place under the rule that asks for most machines. */
  readonly slot: { readonly group: TopologyGroup; readonly price: number } | undefined
}

/** A pool with some constraint: where an item could go. */
export type BinType = { readonly poolOption: NodePoolOption; readonly narrowedTemplate: NarrowedTemplate }

/** What each bin type's machines cost and hold, at dual prices. */
export type PricedBinTypes = {
  readonly subproblems: readonly { readonly binType: BinType; readonly duals: DualPrices }[]
  /** What a pod of each item is worth where it is worth least, by number of the item. */
  readonly dualValue: Float64Array
}

/** What the budget does not reach is left out: first fit places those pods. */
export function priceBinTypes(
  poolOptions: readonly NodePoolOption[],
  items: readonly Item[],
  { axes, ...spending }: Pick<Plan, 'axes'> & Spending,
): PricedBinTypes {
  const dualValue = new Float64Array(items.length).fill(Number.POSITIVE_INFINITY)
  const itemsFor = createItemsFor(items)
  const subproblems = binTypesOf(poolOptions, items).flatMap((binType) => {
    if (isSpent(spending)) return []
    const own = itemsFor(binType)
    const duals = dualPricesFor(binType, own, axes)
    for (const item of own) dualValue[item.id] = Math.min(dualValue[item.id] ?? 0, dualValueIn(duals, item))
    return [{ binType, duals }]
  })
  return { subproblems, dualValue }
}

/** The items that are welcome, in their order. */
export function createItemsFor(items: readonly Item[]): (binType: BinType) => readonly Item[] {
  const byLabel = createByLabel(items, ({ wish }) => wantedBy(wish))
  return (binType) => byLabel(binType.narrowedTemplate.requirements).filter((item) => isWelcome(binType, item))
}

/** What any machine has to meet that takes the wish in. */
function wantedBy({ constraint, pins }: Wish): Requirements {
  const [only, ...others] = constraint.alternatives
  const always = only === undefined || others.length > 0 ? NOTHING : only
  if (pins.size === 0) return always
  const wanted = new Map(always)
  for (const [key, value] of pins) wanted.set(key, { key, complement: false, values: [value] })
  return wanted
}

const NOTHING: Requirements = new Map()

export function isWelcome({ narrowedTemplate }: BinType, { wish }: Item): boolean {
  return joinedWith(narrowedTemplate, wish) !== undefined
}

/** One bin type for each distinct narrowed template that the items ask for. */
function binTypesOf(poolOptions: readonly NodePoolOption[], items: readonly Item[]): readonly BinType[] {
  const binTypes = new Map<NarrowedTemplate, BinType>()
  const wishes = new Set<Wish>(items.map(({ wish }) => wish))
  const poolOptionsFor = createPoolOptionsFor(poolOptions)
  const asking = new Map<NodePoolOption, Wish[]>(poolOptions.map((poolOption) => [poolOption, []]))
  for (const wish of wishes) for (const poolOption of poolOptionsFor(wish.constraint)) asking.get(poolOption)?.push(wish)
  for (const [poolOption, own] of asking) {
    const narrowedTemplates = own.flatMap((wish) => narrowedTemplatesFor(poolOption, wish))
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

/** Dual prices for what the bin type's machines could be asked to hold; the items are those that could go there. */
function dualPricesFor({ narrowedTemplate }: BinType, items: readonly Item[], axes: number): DualPrices {
  const tightest = tightestRule(items)
  const demand = new Float64Array(axes + 1)
  for (const { podClass, count } of items) addTimes(demand.subarray(0, axes), podClass.amounts, count)
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
 * Dual prices when of each resource in turn more is asked: what is nearly scarce has a price as well, so that machines are filled with all
 * of it and the last ones need not be bought for what all the others left over.
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
