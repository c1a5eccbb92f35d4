/** One machine that is being filled on paper. */

import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { priceOf } from '../../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, addTimes } from '../../model/quantities/amounts.ts'
import { type Item, joinedWith, type Shape } from './items.ts'
import type { Neighbours } from './neighbours.ts'
import type { Row } from './rows.ts'

export type Filled = {
  readonly narrowedTemplate: NarrowedTemplate
  readonly contents: readonly Content[]
  /** The pods that were taken of each shape, in order. */
  readonly recipe: readonly Portion[]
  readonly total: Amounts
  readonly dualValue: number
}

type Content = { readonly item: Item; count: number }

export type Portion = { readonly shape: Shape; readonly count: number }

export type Machine = Omit<Filled, 'contents' | 'recipe'> & {
  narrowedTemplate: NarrowedTemplate
  readonly size: InstanceTypeOption
  readonly contents: Content[]
  readonly recipe: Portion[]
  readonly neighbours: Neighbours
  dualValue: number
  /** The number of wishes that were asked whether they may join, and of rules looked at for them. */
  joins: number
}

export function machineOf(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption, neighbours: Neighbours): Machine {
  neighbours.clear()
  return { narrowedTemplate, size, contents: [], recipe: [], total: new Float64Array(size.free.length), neighbours, dualValue: 0, joins: 0 }
}

/** Takes pods of the first item of the shape that may join, at most `most`. Returns their number. */
export function take(machine: Machine, shape: Shape, most: number, dualValue: Float64Array): number {
  const { narrowedTemplate, size } = machine
  let found: Item | undefined
  let count = 0
  // Hot code: counters, since an iterator makes an object for each item until the code is compiled.
  for (let at = 0; at < shape.queues.length; at++) {
    const queue = shape.queues[at]
    if (queue === undefined) break
    machine.joins++
    const combined = joinedWith(narrowedTemplate, queue.wish)
    if (combined === undefined || !serves(combined, narrowedTemplate, size)) continue
    for (let place = 0; place < queue.items.length; place++) {
      const item = queue.items[place]
      if (item === undefined || (found !== undefined && item.id > found.id)) break
      machine.joins += item.rules.ruleCount
      const allowed = roomFor(machine, item, most)
      if (allowed <= 0) continue
      found = item
      count = allowed
      machine.narrowedTemplate = combined
      break
    }
  }
  if (found === undefined) return 0
  join(machine, found, count)
  machine.recipe.push({ shape, count })
  machine.dualValue += (dualValue[found.id] ?? 0) * count
  return count
}

/** Takes pods of one item after another, until it has `wanted` pods or no more may join. Returns their number. */
export function takeMany(machine: Machine, shape: Shape, wanted: number, dualValue: Float64Array): number {
  let missing = wanted
  while (missing > 0) {
    const count = take(machine, shape, missing, dualValue)
    if (count === 0) break
    missing -= count
  }
  return wanted - missing
}

/** Takes pods of one item of the row after another, as many as may join and at most `wanted`. Returns their number. */
export function takeOfRow(machine: Machine, row: Row, wanted: number): number {
  let missing = wanted
  if (row.order === 'mostFirst') machine.joins += row.items.length
  for (const item of inOrder(row)) {
    if (missing === 0) break
    machine.joins += item.rules.ruleCount
    const count = Math.min(missing, item.count, machine.neighbours.room(item.rules))
    if (count <= 0) continue
    const combined = joinedWith(machine.narrowedTemplate, item.wish)
    if (combined === undefined || !serves(combined, machine.narrowedTemplate, machine.size)) continue
    machine.narrowedTemplate = combined
    join(machine, item, count)
    missing -= count
  }
  return wanted - missing
}

/** The items in the order of the row. With `mostFirst`, items with the most waiting pods come first, so that the items stay as mixed as they are. */
function inOrder({ items, order }: Row): readonly Item[] {
  return order === 'any' ? items : [...items].sort((one, other) => other.count - one.count || one.id - other.id)
}

function join({ contents, neighbours, total }: Machine, item: Item, count: number): void {
  add(contents, item, count)
  neighbours.join(item.rules, count)
  addTimes(total, item.podClass.amounts, count)
}

/** How many pods of the item may join, at most `most`. Rules come first: a machine may hold pods of many items. */
function roomFor({ contents, neighbours }: Machine, item: Item, most: number): number {
  const room = neighbours.room(item.rules)
  return room <= 0 ? 0 : Math.min(item.count - takenOf(contents, item), room, most)
}

function takenOf(contents: readonly Content[], item: Item): number {
  return contentOf(contents, item)?.count ?? 0
}

function add(contents: Content[], item: Item, count: number): void {
  const known = contentOf(contents, item)
  if (known === undefined) contents.push({ item, count })
  else known.count += count
}

function contentOf(contents: readonly Content[], item: Item): Content | undefined {
  for (let at = 0; at < contents.length; at++) if (contents[at]?.item === item) return contents[at]
  return undefined
}

/** Reports whether the size still serves with the item, at the same price. */
function serves(combined: NarrowedTemplate, before: NarrowedTemplate, size: InstanceTypeOption): boolean {
  return combined === before || priceOf(combined, size) === priceOf(before, size)
}
