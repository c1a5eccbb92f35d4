import { type Order, placeIn } from '../../../base/order.ts'

/** Values kept in order. A few changes cost one search each, many changes cost one sort. */
export interface SortedList<Value> {
  /** A value that is in the list must not be added again. */
  add(value: Value): void
  /** The value must be in the list. */
  remove(value: Value): void
  size(): number
  /** Valid until the next change. */
  values(): readonly Value[]
}

/** The number of changes above which it is cheaper to sort anew. */
const MANY = 64

export function createSortedList<Value>(order: Order<Value>): SortedList<Value> {
  let sorted: Value[] = []
  let added: Value[] = []
  const removed = new Set<Value>()

  function settle(): void {
    const come = removed.size === 0 ? added : added.filter((value) => !removed.delete(value))
    added = []
    if (come.length + removed.size > MANY) {
      const left = removed.size === 0 ? sorted : sorted.filter((value) => !removed.has(value))
      sorted = (left.length === 0 ? come : left.concat(come)).sort(order)
    } else {
      for (const value of removed) {
        const at = sorted.indexOf(value, placeIn(sorted, value, order))
        if (at >= 0) sorted.splice(at, 1)
      }
      for (const value of come) sorted.splice(placeIn(sorted, value, order), 0, value)
    }
    removed.clear()
  }

  return {
    add(value) {
      if (removed.size === 0 || !removed.delete(value)) added.push(value)
    },
    remove: (value) => void removed.add(value),
    size: () => sorted.length + added.length - removed.size,
    values() {
      if (added.length + removed.size > 0) settle()
      return sorted
    },
  }
}
