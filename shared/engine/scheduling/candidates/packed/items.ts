/** Pods as the packer sees them: which pods may share a machine, and how much they take. */

import type { Resources } from '../../../../model/resources.ts'
import { ceilingOf, machineOf } from '../../model/catalog/limits.ts'
import { type NarrowedTemplate, withConstraint, withValue } from '../../model/catalog/narrowedTemplate.ts'
import type { BinStart } from '../../model/nodes/bin.ts'
import type { Constraint, PodClass, RelaxedPod } from '../../model/pods/constraint.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import { MOST_AMOUNTS, ROUNDING_STEPS } from '../../model/quantities/tuning.ts'
import type { Work } from '../../model/quantities/work.ts'
import { type NodePoolOption, toleratesPool } from '../plan.ts'
import { type HostRules, hostRulesOf } from './hostRules.ts'

/** Label values chosen for some pods of a class, so that rules about neighbours hold. */
export type Pins = ReadonlyMap<string, string>

/** What items ask of the labels of a machine. Equal wishes of a plan are one object. */
export type Wish = {
  readonly constraint: Constraint
  readonly pins: Pins
  /** The template of a machine after it takes the wish, undefined if it cannot. A buffer, filled when it is first asked. */
  readonly joined: Map<NarrowedTemplate, NarrowedTemplate | undefined>
  /** Counts the combinations. */
  readonly work: Work
}

/** Pods of one class with one choice of domains. */
export type Item = {
  /** Index among the items that are packed together. */
  readonly id: number
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  readonly wish: Wish
  readonly rules: HostRules
  /** How many pods still wait for a place. A buffer. */
  count: number
}

/** Items with equal amounts, or with amounts that are rounded up to these. */
export type Shape = {
  readonly amounts: Amounts
  /** The queues with waiting items. A buffer. */
  readonly queues: Queue[]
  /** How many pods wait. A buffer. */
  waiting: number
}

/** Items of one shape and one wish, in order. */
export type Queue = { readonly wish: Wish; readonly items: Item[] }

export function itemOf(id: number, podClass: PodClass, relaxedPod: RelaxedPod, wish: Wish, count: number): Item {
  return { id, podClass, relaxedPod, wish, rules: hostRulesOf(podClass, relaxedPod), count }
}

export function shapesOf(items: readonly Item[]): readonly Shape[] {
  const shapes = new Map<Amounts, Shape>()
  const queues = new Map<Shape, Map<Wish, Queue>>()
  const roundedOf = roundedUp(items.map(({ podClass }) => podClass.amounts))
  for (const item of items) {
    const amounts = roundedOf(item.podClass.amounts)
    const shape = shapes.get(amounts) ?? { amounts, queues: [], waiting: 0 }
    shapes.set(amounts, shape)
    shape.waiting += item.count
    const byWish = queues.get(shape) ?? new Map<Wish, Queue>()
    queues.set(shape, byWish)
    const queue = byWish.get(item.wish)
    if (queue !== undefined) queue.items.push(item)
    else {
      const made = { wish: item.wish, items: [item] }
      byWish.set(item.wish, made)
      shape.queues.push(made)
    }
  }
  return [...shapes.values()]
}

/** Removes an item of which no pod waits any more from its shape. */
export function drop({ queues }: Shape, item: Item): void {
  const at = queues.findIndex(({ wish }) => wish === item.wish)
  const queue = queues[at]
  if (queue === undefined) return
  queue.items.splice(queue.items.indexOf(item), 1)
  if (queue.items.length === 0) queues.splice(at, 1)
}

/** The template of a machine after it takes the wish. Undefined if a machine of this template cannot take it. */
export function joinedWith(narrowedTemplate: NarrowedTemplate, wish: Wish): NarrowedTemplate | undefined {
  const known = wish.joined.get(narrowedTemplate)
  if (known !== undefined || wish.joined.has(narrowedTemplate)) return known
  // Cheaper than a look at the labels, and not remembered: wishes that tolerate few of many pools would remember mostly refusals.
  if (!toleratesPool(wish.constraint, narrowedTemplate)) {
    wish.work.joins++
    return undefined
  }
  wish.work.combined++
  const joined = combinedWith(narrowedTemplate, wish)
  wish.joined.set(narrowedTemplate, joined)
  return joined
}

/** The same, without remembering the answer. */
export function combinedWith(
  narrowedTemplate: NarrowedTemplate,
  { constraint, pins }: Pick<Wish, 'constraint' | 'pins'>,
): NarrowedTemplate | undefined {
  // Pins come first, so that the constraint takes an alternative that the pins leave.
  let pinned: NarrowedTemplate | undefined = narrowedTemplate
  for (const [key, value] of pins) pinned = pinned === undefined ? undefined : withValue(pinned, key, value)
  return pinned === undefined ? undefined : withConstraint(pinned, constraint)
}

/**
 * Rounds amounts up while machines are filled on paper, so that there are few different amounts. Placed pods keep their own amounts. Returns the
 * rounded amounts. Amounts between the same steps share one object, which has the most of each resource that any of them takes.
 */
function roundedUp(all: readonly Amounts[]): (amounts: Amounts) => Amounts {
  const distinct = [...new Set(all)]
  if (distinct.length <= MOST_AMOUNTS) return (amounts) => amounts
  const alike = ROUNDING_STEPS.reduce<readonly (readonly Amounts[])[]>(
    (found, step) => (found.length > 0 && found.length <= MOST_AMOUNTS ? found : alikeBy(distinct, step)),
    [],
  )
  const rounded = new Map<Amounts, Amounts>()
  for (const own of alike) {
    const most = own.reduce(mostOf)
    for (const amounts of own) rounded.set(amounts, most)
  }
  return (amounts) => rounded.get(amounts) ?? amounts
}

/** Amounts that lie between the same steps. */
function alikeBy(all: readonly Amounts[], step: number): readonly (readonly Amounts[])[] {
  const found = new Map<string, Amounts[]>()
  for (const amounts of all) {
    const text = amounts.map((amount) => (amount > 0 ? Math.ceil(Math.log(amount) / Math.log1p(step)) : -1)).join(' ')
    const known = found.get(text)
    if (known === undefined) found.set(text, [amounts])
    else known.push(amounts)
  }
  return [...found.values()]
}

function mostOf(one: Amounts, other: Amounts): Amounts {
  return one.map((amount, axis) => Math.max(amount, other[axis] ?? 0))
}

/** What one machine takes of the limits of its pool. */
export type Allotment = Pick<BinStart, 'ceiling' | 'charge'>

/** Returns the allotment of a machine. Machines of the same pool option and the same capacity share one object. */
export type Allotments = (poolOption: NodePoolOption, capacity: Resources) => Allotment

export function createAllotments(): Allotments {
  const known = new Map<NodePoolOption, Map<Resources, Allotment>>()
  return (poolOption, capacity) => {
    const ofOption = known.get(poolOption) ?? new Map<Resources, Allotment>()
    known.set(poolOption, ofOption)
    const allotment = ofOption.get(capacity) ?? { ceiling: ceilingOf(poolOption.limits, capacity), charge: machineOf(capacity) }
    ofOption.set(capacity, allotment)
    return allotment
  }
}
