import type { Target } from '../nodes/target.ts'
import type { Amounts, Axes } from '../quantities/amounts.ts'

/** Places in the order they are offered, and what is free on all of them side by side. */
export interface Room {
  readonly targets: readonly Target[]
  /** The first place, this one or after it, that had so much free before the plan began; the count of places when there is none. */
  next(amounts: Amounts, from: number): number
}

/** What is free is worked out once a place, as long as the stamp stays the same. */
export function roomOf(targets: readonly Target[], axes: Axes, stamp: string): Room {
  const size = axes.names.length + axes.drivers.length
  const free = new Float64Array(targets.length * size)
  for (let place = 0; place < targets.length; place++) {
    const target = targets[place]
    if (target === undefined) continue
    target.id = place
    if (target.freeFor !== stamp) {
      target.free = target.freeOn(axes)
      target.freeFor = stamp
    }
    free.set(target.free, place * size)
  }
  return { targets, next: (amounts, from) => nextWith(free, size, targets.length, amounts, from) }
}

function nextWith(free: Float64Array, axes: number, places: number, amounts: Amounts, from: number): number {
  for (let place = from; place < places; place++) {
    let axis = 0
    for (let at = place * axes; axis < axes && (amounts[axis] ?? 0) <= (free[at] ?? 0); axis++) at++
    if (axis === axes) return place
  }
  return places
}
