/** Pods as the packer sees them: who may share a machine with whom, and how much they take. */

import { type NarrowedTemplate, withConstraint, withValue } from '../../model/catalog/narrowedTemplate.ts'
import type { Constraint } from '../../model/pods/constraint.ts'
import type { PodClass, RelaxedPod } from '../../model/pods/podClass.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import type { Work } from '../../model/quantities/work.ts'
import { type HostRules, hostRulesOf } from './hostRules.ts'
import { roundedUp } from './roundedUp.ts'

/** Label values chosen for some pods of a class, so that rules about neighbours hold. */
export type Pins = ReadonlyMap<string, string>

/** What items ask of a machine's labels: equal wishes of a plan are one. */
export type Wish = {
  readonly constraint: Constraint
  readonly pins: Pins
  /** What becomes of a machine that takes it in. A buffer: filled as it is asked. */
  readonly joined: Map<NarrowedTemplate, NarrowedTemplate | undefined>
  /** Where it is counted what that costs. */
  readonly work: Work
}

/** Pods of one class with one choice of domains. */
export type Item = {
  /** Place among the items of the plan. */
  readonly id: number
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  readonly wish: Wish
  readonly rules: HostRules
  /** Buffer: how many still want a place. */
  count: number
}

/** Items that take the same amounts, or hardly less than these. */
export type Shape = {
  readonly amounts: Amounts
  /** Those with items that wait. A buffer. */
  readonly queues: Queue[]
  /** Buffer: how many pods wait. */
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

/** Takes an item that waits no more out of its shape. */
export function drop({ queues }: Shape, item: Item): void {
  const at = queues.findIndex(({ wish }) => wish === item.wish)
  const queue = queues[at]
  if (queue === undefined) return
  queue.items.splice(queue.items.indexOf(item), 1)
  if (queue.items.length === 0) queues.splice(at, 1)
}

/** A machine of this narrowed template that takes the wish in. Undefined: the two cannot share one. */
export function joinedWith(narrowedTemplate: NarrowedTemplate, wish: Wish): NarrowedTemplate | undefined {
  const known = wish.joined.get(narrowedTemplate)
  if (known !== undefined || wish.joined.has(narrowedTemplate)) return known
  wish.work.combined++
  const joined = combinedWith(narrowedTemplate, wish)
  wish.joined.set(narrowedTemplate, joined)
  return joined
}

/** The same, worked out anew. */
export function combinedWith(
  narrowedTemplate: NarrowedTemplate,
  { constraint, pins }: Pick<Wish, 'constraint' | 'pins'>,
): NarrowedTemplate | undefined {
  // Pins come first: the alternative that is taken is one that they leave.
  let pinned: NarrowedTemplate | undefined = narrowedTemplate
  for (const [key, value] of pins) pinned = pinned === undefined ? undefined : withValue(pinned, key, value)
  return pinned === undefined ? undefined : withConstraint(pinned, constraint)
}
