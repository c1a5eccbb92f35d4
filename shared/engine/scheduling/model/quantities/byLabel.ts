/** Finds the items that may meet requirements, by an index of label values, without asking every item. */
import { ownValue } from '../../../../base/values.ts'
import type { Labels } from '../../../../model/labels.ts'
import { admitsAbsence, has, type Requirement, type Requirements } from '../../../../model/requirements.ts'

/** The items that may meet the requirements, in their order. Leaves out the items that have no value in common on the label that leaves out most. */
export type ByLabel<Item> = (wanted: Requirements) => readonly Item[]

/** Up to so many items there is no index, and all items are returned. */
const FEW = 16

/** Places of items by the value of one label. `open`: items that leave the label open and meet every value. */
type ByValue = { readonly byValue: Map<string, number[]>; readonly open: number[] }

/** What an item asks of one label. Undefined if it leaves the label open. */
type Asks<Item> = (item: Item, key: string) => Requirement | undefined

export function createByLabel<Item>(items: readonly Item[], asks: Asks<Item>): ByLabel<Item> {
  if (items.length <= FEW) return () => items
  const byKey = new Map<string, ByValue>()
  return (wanted) => {
    let fewest: readonly number[] | undefined
    for (const { key, complement, values } of wanted.values()) {
      if (complement || values.length === 0) continue
      const index = byKey.get(key) ?? indexOf(items, asks, key)
      byKey.set(key, index)
      if (index.open.length === items.length) continue
      const places = [...index.open, ...new Set(values.flatMap((value) => index.byValue.get(value) ?? []))]
      if (fewest === undefined || places.length < fewest.length) fewest = places
    }
    if (fewest === undefined || fewest.length === items.length) return items
    return [...fewest].sort((first, second) => first - second).flatMap((place) => items[place] ?? [])
  }
}

function indexOf<Item>(items: readonly Item[], asks: Asks<Item>, key: string): ByValue {
  const index: ByValue = { byValue: new Map(), open: [] }
  for (const [place, item] of items.entries()) {
    const own = asks(item, key)
    if (own === undefined || own.complement || own.values.length === 0) {
      index.open.push(place)
      continue
    }
    for (const value of own.values) {
      const places = index.byValue.get(value)
      if (places === undefined) index.byValue.set(value, [place])
      else places.push(place)
    }
  }
  return index
}

/** True when a node with these labels, and no others, meets the requirements. */
export function labelsMeet(labels: Labels, requirements: Requirements): boolean {
  for (const [key, requirement] of requirements) {
    const value = ownValue(labels, key)
    if (value === undefined ? !admitsAbsence(requirement) : !has(requirement, value)) return false
  }
  return true
}
