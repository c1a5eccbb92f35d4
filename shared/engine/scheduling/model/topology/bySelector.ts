import { addAll } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/ownValue.ts'
import type { Labels } from '../../../../model/meta.ts'
import type { LabelSelector } from '../../../../model/pod.ts'

/** Finds the selectors that may select given labels, without testing each. A selector that requires a value is looked up by this value. */
export interface BySelector<Item> {
  add(selector: LabelSelector | undefined, item: Item): void
  remove(selector: LabelSelector | undefined, item: Item): void
  /** Every item whose selector selects the labels, and some others. Each comes once. */
  candidates(labels: Labels): readonly Item[]
}

export function createBySelector<Item>(): BySelector<Item> {
  const byPair = new Map<string, Set<Item>>()
  const others = new Set<Item>()
  return {
    add(selector, item) {
      const pair = pairOf(selector)
      if (pair === undefined) others.add(item)
      else addTo(byPair, pair, item)
    },
    remove(selector, item) {
      const pair = pairOf(selector)
      if (pair === undefined) others.delete(item)
      else removeFrom(byPair, pair, item)
    },
    candidates(labels) {
      const found = [...others]
      if (byPair.size > 0) for (const key in labels) addAll(found, byPair.get(textOf(key, ownValue(labels, key) ?? '')) ?? [])
      return found
    },
  }
}

/** Finds the labels that a selector may select, in the same way. */
export interface ByLabels<Item> {
  add(labels: Labels, item: Item): void
  remove(labels: Labels, item: Item): void
  /** Every item whose labels the selector selects, and some others. Each comes once. */
  candidates(selector: LabelSelector | undefined): Iterable<Item>
}

export function createByLabels<Item>(): ByLabels<Item> {
  const byPair = new Map<string, Set<Item>>()
  const all = new Set<Item>()
  return {
    add(labels, item) {
      all.add(item)
      for (const key in labels) addTo(byPair, textOf(key, ownValue(labels, key) ?? ''), item)
    },
    remove(labels, item) {
      all.delete(item)
      for (const key in labels) removeFrom(byPair, textOf(key, ownValue(labels, key) ?? ''), item)
    },
    candidates(selector) {
      if (selector === undefined) return []
      const pair = pairOf(selector)
      return pair === undefined ? all : (byPair.get(pair) ?? [])
    },
  }
}

/** The first pair of label and value that the selector requires. Undefined if there is none. */
function pairOf(selector: LabelSelector | undefined): string | undefined {
  if (selector === undefined) return undefined
  for (const key in selector.matchLabels) return textOf(key, ownValue(selector.matchLabels, key) ?? '')
  const single = selector.matchExpressions.find(({ operator, values }) => operator === 'In' && values.length === 1)
  return single === undefined ? undefined : textOf(single.key, single.values[0] ?? '')
}

function textOf(key: string, value: string): string {
  return `${key}=${value}`
}

function addTo<Item>(sets: Map<string, Set<Item>>, text: string, item: Item): void {
  const known = sets.get(text)
  if (known === undefined) sets.set(text, new Set([item]))
  else known.add(item)
}

function removeFrom<Item>(sets: Map<string, Set<Item>>, text: string, item: Item): void {
  const known = sets.get(text)
  known?.delete(item)
  if (known?.size === 0) sets.delete(text)
}
