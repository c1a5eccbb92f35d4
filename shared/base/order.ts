/** Compares two values: negative when the first comes first, zero when they tie. */
export type Order<Value> = (first: Value, second: Value) => number

/** By code unit, so the same on every machine and in every locale. */
export function byText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0
}

/** Orders by a key taken from each value. */
export function byKey<Value>(key: (value: Value) => string): Order<Value> {
  return (first, second) => byText(key(first), key(second))
}

/** Orders by the first order that does not tie. */
export function inOrder<Value>(...orders: readonly Order<Value>[]): Order<Value> {
  return (first, second) => {
    for (const order of orders) {
      const answer = order(first, second)
      if (answer !== 0) return answer
    }
    return 0
  }
}

/** Place of the first of the sorted values that does not come before this one: where the value is, or where it belongs. */
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
