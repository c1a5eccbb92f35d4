/** Pods as the packer sees them: who may share a machine with whom, and how much they take. */
import type { Amounts } from '../amounts.ts'
import { type Combination, withConstraint, withValue } from '../catalog/combination.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'

/** Label values chosen for some pods of a class, so that rules about neighbours hold. */
export type Pins = ReadonlyMap<string, string>

/** Pods of one class with one choice of domains. */
export type Item = {
  readonly podClass: PodClass
  readonly variant: Variant
  readonly pins: Pins
  /** Buffer: how many still want a place. */
  count: number
}

/** Items that take the same amounts. */
export type Shape = {
  readonly amounts: Amounts
  readonly items: Item[]
}

export function shapesOf(items: readonly Item[]): readonly Shape[] {
  const shapes = new Map<string, Shape>()
  for (const item of items) {
    const { amounts } = item.podClass
    const text = amounts.join(' ')
    const shape = shapes.get(text) ?? { amounts, items: [] }
    shapes.set(text, shape)
    shape.items.push(item)
  }
  return [...shapes.values()]
}

/** A machine of this combination that takes the item in. Undefined: the two cannot share one. */
export function combinedWith(combination: Combination, { variant, pins }: Pick<Item, 'variant' | 'pins'>): Combination | undefined {
  let combined = withConstraint(combination, variant.constraint)
  for (const [key, value] of pins) combined = combined === undefined ? undefined : withValue(combined, key, value)
  return combined
}
