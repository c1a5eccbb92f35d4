import type { ExistingNode } from '../nodes/existingNode.ts'
import type { Amounts, Axes } from '../quantities/amounts.ts'

/** Places in the order they are offered, and what is free on all of them side by side. */
export interface FreeCapacity {
  /** What is free is told for this. */
  readonly stamp: string
  readonly existingNodes: readonly ExistingNode[]
  /** The first place, this one or after it, that had so much free before the plan began; the count of places when there is none. */
  next(amounts: Amounts, from: number): number
}

/** What is free is worked out once a place, as long as the stamp stays the same. */
export function freeCapacityOf(existingNodes: readonly ExistingNode[], axes: Axes, stamp: string): FreeCapacity {
  const size = axes.names.length + axes.drivers.length
  const free = new Float64Array(existingNodes.length * size)
  for (let place = 0; place < existingNodes.length; place++) {
    const existingNode = existingNodes[place]
    if (existingNode === undefined) continue
    existingNode.id = place
    if (existingNode.freeFor !== stamp) {
      existingNode.free = existingNode.freeOn(axes)
      existingNode.freeFor = stamp
    }
    free.set(existingNode.free, place * size)
  }
  return { stamp, existingNodes, next: (amounts, from) => nextWith(free, size, existingNodes.length, amounts, from) }
}

function nextWith(free: Float64Array, axes: number, places: number, amounts: Amounts, from: number): number {
  for (let place = from; place < places; place++) {
    let axis = 0
    for (let at = place * axes; axis < axes && (amounts[axis] ?? 0) <= (free[at] ?? 0); axis++) at++
    if (axis === axes) return place
  }
  return places
}
