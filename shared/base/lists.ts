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

/** Returns a function that puts the map back to its state now. */
export function markOfMap<Key>(map: Map<Key, number>): () => void {
  const before = new Map(map)
  return () => {
    map.clear()
    for (const [key, value] of before) map.set(key, value)
  }
}

/** The same for a set. */
export function markOfSet<Member>(members: Set<Member>): () => void {
  const before = new Set(members)
  return () => {
    for (const member of members) if (!before.has(member)) members.delete(member)
  }
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

/** Compares two values: negative if the first comes first, zero if they are equal in this order. */
export type Order<Value> = (first: Value, second: Value) => number

/** Orders strings by code unit, which gives the same order on every machine and in every locale. */
export function byText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0
}

/** Orders by a key taken from each value. */
export function byKey<Value>(key: (value: Value) => string): Order<Value> {
  return (first, second) => byText(key(first), key(second))
}

/** Combines orders: a later order decides where the earlier orders return zero. */
export function inOrder<Value>(...orders: readonly Order<Value>[]): Order<Value> {
  return (first, second) => {
    let answer = 0
    for (let at = 0; answer === 0 && at < orders.length; at++) answer = orders[at]?.(first, second) ?? 0
    return answer
  }
}

/** Returns the index of the first sorted value that does not come before `value`: the position of the value, or the position to insert it at. */
export function placeIn<Value>(sorted: readonly Value[], value: Value, order: Order<Value>): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = sorted[middle]
    if (other !== undefined && order(other, value) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The same at `from` or later. Costs little if the position is near. */
function placeFrom<Value>(sorted: readonly Value[], value: Value, order: Order<Value>, from: number): number {
  let [low, step] = [from, 1]
  const isBefore = (at: number): boolean => {
    const other = sorted[at]
    return other !== undefined && order(other, value) < 0
  }
  while (isBefore(low + step - 1)) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step - 1, sorted.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A copy of the sorted values without `dropped` and with `added`, which are sorted by the same order. Values that are equal in this order are one.
 * Costs a search for each exchanged value.
 */
export function exchanged<Value>(
  sorted: readonly Value[],
  dropped: readonly Value[],
  added: readonly Value[],
  order: Order<Value>,
): readonly Value[] {
  if (dropped.length === 0 && added.length === 0) return sorted
  // A value is written only if it is at another position than before. So few exchanges cost little more than the copy.
  const list = sorted.slice()
  let [from, to] = [0, 0]
  const keep = (end: number): void => {
    const isInPlace = from === to
    for (let at = from; at < end && !isInPlace; at++) {
      const value = sorted[at]
      if (value !== undefined) list[to++] = value
    }
    if (isInPlace) to = end
    from = end
  }
  const keepUntil = (value: Value): void => {
    const at = placeFrom(sorted, value, order, from)
    keep(at)
    const same = sorted[at]
    if (same !== undefined && order(same, value) === 0) from++
  }
  let [drop, add] = [0, 0]
  while (drop < dropped.length || add < added.length) {
    const [going, coming] = [dropped[drop], added[add]]
    if (coming === undefined || (going !== undefined && order(going, coming) < 0)) {
      if (going !== undefined) keepUntil(going)
      drop++
    } else {
      keepUntil(coming)
      list[to++] = coming
      add++
    }
  }
  keep(sorted.length)
  list.length = to
  return list
}

/**
 * What is in one of two lists only. Both have the same order, in which no two different values of a list are equal. The lists are nearly the same:
 * where they agree, no values are compared by the order.
 */
export function differences<Value>(
  before: readonly Value[],
  after: readonly Value[],
  order: Order<Value>,
): { readonly gone: readonly Value[]; readonly come: readonly Value[] } {
  const gone: Value[] = []
  const come: Value[] = []
  if (before === after) return { gone, come }
  let [old, next] = [0, 0]
  for (;;) {
    const same = alikeFrom(before, old, after, next)
    const [going, coming] = [before[old + same], after[next + same]]
    old += same
    next += same
    if (going === undefined && coming === undefined) return { gone, come }
    const answer = going === undefined ? 1 : coming === undefined ? -1 : order(going, coming)
    if (going !== undefined && answer <= 0) {
      gone.push(going)
      old++
    }
    if (coming !== undefined && answer >= 0) {
      come.push(coming)
      next++
    }
  }
}

/** Returns how many values both lists have alike from these positions on. */
function alikeFrom<Value>(first: readonly Value[], from: number, second: readonly Value[], start: number): number {
  const most = Math.min(first.length - from, second.length - start)
  let same = 0
  while (same < most && first[from + same] === second[start + same]) same++
  return same
}
