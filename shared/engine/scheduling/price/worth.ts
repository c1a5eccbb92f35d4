/** What pods are worth: the least they can cost at fair prices of resources and, where rules demand it, of a machine of their own. */
import { type Combination, frontierOf } from '../catalog/combination.ts'
import type { Start } from '../plan.ts'
import type { Group } from '../topology/group.ts'
import { dualPrices } from './duals.ts'
import { combinedWith, type Item } from './items.ts'
import { mostPerHost } from './neighbours.ts'

export type Market = {
  /** Price of a unit of each axis. */
  readonly prices: Float64Array
  /** Price of a place under the rule that asks for most machines. */
  readonly slot: { readonly group: Group; readonly price: number } | undefined
}

/** A pool with some constraint: where an item could go. */
export type Seed = { readonly start: Start; readonly combination: Combination }

/** One seed for each distinct combination that the items ask for. */
export function seedsOf(starts: readonly Start[], items: readonly Item[]): readonly Seed[] {
  const seeds = new Map<Combination, Seed>()
  const asked = new Map<string, Item>()
  for (const item of items) asked.set(`${item.variant.constraint.id} ${[...item.pins].join(' ')}`, item)
  for (const start of starts) {
    for (const item of asked.values()) {
      const combination = combinedWith(start.combination, item)
      if (combination !== undefined && combination.order.length > 0 && !seeds.has(combination))
        seeds.set(combination, { start, combination })
    }
  }
  return [...seeds.values()]
}

/** Fair prices for what the seed's machines could be asked to hold. */
export function marketOf({ combination }: Seed, items: readonly Item[], axes: number): Market {
  const demand = new Float64Array(axes + 1)
  const hosts = new Map<Group, number>()
  for (const item of items) {
    if (item.count === 0 || combinedWith(combination, item) === undefined) continue
    const { amounts } = item.podClass
    for (let axis = 0; axis < axes; axis++) demand[axis] = (demand[axis] ?? 0) + (amounts[axis] ?? 0) * item.count
    const rule = mostPerHost(item)
    if (rule !== undefined) hosts.set(rule.group, (hosts.get(rule.group) ?? 0) + item.count / rule.most)
  }
  const tightest = [...hosts].reduce<readonly [Group, number] | undefined>(
    (best, each) => (best === undefined || each[1] > best[1] ? each : best),
    undefined,
  )
  demand[axes] = tightest?.[1] ?? 0
  const columns = frontierOf(combination).map((place) => {
    const amounts = new Float64Array(axes + 1)
    amounts.set(combination.order[place]?.free ?? [])
    amounts[axes] = 1
    return { price: combination.best[place]?.price ?? 0, amounts }
  })
  const prices = dualPrices(columns, demand)
  return {
    prices: prices.slice(0, axes),
    slot: tightest === undefined ? undefined : { group: tightest[0], price: prices[axes] ?? 0 },
  }
}

export function worthIn({ prices, slot }: Market, item: Item): number {
  const { amounts } = item.podClass
  let worth = 0
  for (let axis = 0; axis < prices.length; axis++) worth += (prices[axis] ?? 0) * (amounts[axis] ?? 0)
  const rule = slot === undefined ? undefined : mostPerHost(item)
  if (rule !== undefined && slot !== undefined && rule.group === slot.group) worth += slot.price / rule.most
  return worth
}
