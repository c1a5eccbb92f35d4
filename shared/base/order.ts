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
