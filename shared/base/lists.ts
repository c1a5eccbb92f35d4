/** Lists of any length: an argument each, as `push(...list)` passes them, is too much for the stack beyond some ten thousands. */

export function addAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const each of more) list.push(each)
}

/** Makes a list the same as another. */
export function replaceAll<Item>(list: Item[], by: readonly Item[]): void {
  list.length = 0
  addAll(list, by)
}

/** The least of the values and `start`; endless when there is none. */
export function leastOf(values: Iterable<number>, start = Number.POSITIVE_INFINITY): number {
  let least = start
  for (const each of values) least = Math.min(least, each)
  return least
}

/** The largest of the values and `start`; less than any number when there is none. */
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
