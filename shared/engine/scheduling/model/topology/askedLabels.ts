import { ownValue } from '../../../../base/ownValue.ts'
import type { LabelSelector, PodAffinityTerm } from '../../../../model/pod.ts'

/**
 * The labels that selectors name, with the values that they name. `any`: some selector takes the value from a pod. No selector tells two other values of a
 * label apart.
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
