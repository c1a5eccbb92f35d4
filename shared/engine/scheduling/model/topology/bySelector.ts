import { addAll } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import type { Labels } from '../../../../model/labels.ts'
import type { LabelSelector, PodAffinityTerm } from '../../../../model/pod.ts'

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

/**
 * The labels that selectors name, with the values that they name. `any`: some selector takes the value from a pod. No selector tells two other values
 * of a label apart.
 */
export type AskedLabels = ReadonlyMap<string, AskedValues>
type AskedValues = ReadonlySet<string> | 'any'
export type GrowingLabels = Map<string, Set<string> | 'any'>

/** The member of an empty selector. It names no label, and still tells namespaces apart. */
const NO_LABEL = ''

/** Adds the labels that the term selects by. */
export function addTerm(asked: GrowingLabels, { selector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): void {
  addSelector(asked, selector, matchLabelKeys)
  addSelector(asked, selector, mismatchLabelKeys)
}

/** `labelKeys`: labels whose values the selector takes from a pod. */
export function addSelector(asked: GrowingLabels, selector: LabelSelector | undefined, labelKeys: readonly string[]): void {
  for (const key of labelKeys) addValues(asked, key, 'any')
  if (selector === undefined) return
  for (const key in selector.matchLabels) addValues(asked, key, [ownValue(selector.matchLabels, key) ?? ''])
  for (const { key, values } of selector.matchExpressions) addValues(asked, key, values)
  addValues(asked, NO_LABEL, [])
}

export function addAsked(asked: GrowingLabels, others: AskedLabels): void {
  for (const [key, values] of others) addValues(asked, key, values)
}

function addValues(asked: GrowingLabels, key: string, values: readonly string[] | AskedValues): void {
  const known = asked.get(key) ?? new Set()
  if (values === 'any' || known === 'any') {
    asked.set(key, 'any')
    return
  }
  for (const value of values) known.add(value)
  asked.set(key, known)
}

/** What selectors can tell of the value of a label: the value itself, or that it is another one than they name. */
export function toldValue(asked: AskedValues | undefined, value: string | undefined): string | null {
  return value !== undefined && (asked === 'any' || asked?.has(value) === true) ? value : null
}
