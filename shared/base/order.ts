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

/**
 * A copy of the sorted values without `dropped` and with `added`, which are sorted by the same order. Values that are equal in this order are one. Costs a
 * search for each exchanged value.
 */
export function exchanged<Value>(
  sorted: readonly Value[],
  dropped: readonly Value[],
  added: readonly Value[],
  order: Order<Value>,
): readonly Value[] {
  const parts: (readonly Value[])[] = []
  let from = 0
  const keepUntil = (value: Value): void => {
    const at = placeIn(sorted, value, order)
    if (at > from) parts.push(sorted.slice(from, at))
    const same = sorted[at]
    from = Math.max(from, same !== undefined && order(same, value) === 0 ? at + 1 : at)
  }
  let [drop, add] = [0, 0]
  while (drop < dropped.length || add < added.length) {
    const [going, coming] = [dropped[drop], added[add]]
    if (coming === undefined || (going !== undefined && order(going, coming) < 0)) {
      if (going !== undefined) keepUntil(going)
      drop++
    } else {
      keepUntil(coming)
      parts.push([coming])
      add++
    }
  }
  parts.push(sorted.slice(from))
  return parts.flat()
}
