import type { LabelSelector, PodAffinityTerm } from '../../../../model/pod.ts'

/** Adds the labels that the term selects by. */
export function addKeysOf(keys: Set<string>, { selector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): void {
  addKeys(keys, selector, matchLabelKeys)
  addKeys(keys, selector, mismatchLabelKeys)
}

export function addKeys(keys: Set<string>, selector: LabelSelector | undefined, more: readonly string[]): void {
  for (const key of more) keys.add(key)
  if (selector === undefined) return
  for (const key in selector.matchLabels) keys.add(key)
  for (const each of selector.matchExpressions) keys.add(each.key)
  // An empty selector names no label, and still tells namespaces apart.
  keys.add('')
}
