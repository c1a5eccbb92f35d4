/**
 * Appends items to a list of any length. `push(...list)` passes each item as an argument, which overflows the stack beyond some ten thousand items.
 */

export function addAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const each of more) list.push(each)
}

/** Replaces the content of a list with the items of another list. */
export function replaceAll<Item>(list: Item[], by: readonly Item[]): void {
  list.length = 0
  addAll(list, by)
}

/** Returns the smallest of the values and `start`. Infinity if there are no values and no `start`. */
export function leastOf(values: Iterable<number>, start = Number.POSITIVE_INFINITY): number {
  let least = start
  for (const each of values) least = Math.min(least, each)
  return least
}

/** Returns the largest of the values and `start`. Minus infinity if there are no values and no `start`. */
export function largestOf(values: Iterable<number>, start = Number.NEGATIVE_INFINITY): number {
  let largest = start
  for (const each of values) largest = Math.max(largest, each)
  return largest
}

export function partition<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
): readonly [holding: readonly Item[], rest: readonly Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))]
}
