import type { ExistingNode } from '../nodes/existingNode.ts'
import type { Amounts, Axes } from '../quantities/amounts.ts'

/** Places in the order they are offered, and what is free on all of them side by side. */
export interface FreeCapacity {
  /** What is free is told for this. */
  readonly version: string
  readonly existingNodes: readonly ExistingNode[]
  /** The first place, this one or after it, that had so much free when it was last told; the count of places when there is none. */
  next(amounts: Amounts, from: number): number
  /** The place has as much free as it says now. Nothing happens where it is none of the places. */
  tell(existingNode: ExistingNode): void
}

/** Places that are skipped together where the most that any of them has free is too little. */
const BLOCK = 64

/** What is free is worked out once a place, as long as the version stays the same. */
export function freeCapacityOf(existingNodes: readonly ExistingNode[], axes: Axes, version: string): FreeCapacity {
  const table = createTable(existingNodes.length, axes.names.length + axes.drivers.length)
  for (let place = 0; place < existingNodes.length; place++) {
    const existingNode = existingNodes[place]
    if (existingNode === undefined) continue
    existingNode.id = place
    if (existingNode.freeFor !== version) {
      existingNode.free = existingNode.freeOn(axes)
      existingNode.freeFor = version
    }
    table.free.set(existingNode.free, place * table.axes)
  }
  for (let place = 0; place < table.places; place += BLOCK) sumUp(table, place)
  return {
    version,
    existingNodes,
    next: (amounts, from) => nextWith(table, amounts, from),
    tell(existingNode) {
      const { id, free } = existingNode
      if (existingNodes[id] !== existingNode) return
      table.free.set(free, id * table.axes)
      sumUp(table, id)
    },
  }
}

/** `most`: what the places of each block have free at the most, axis by axis. */
type Table = { readonly places: number; readonly axes: number; readonly free: Float64Array; readonly most: Float64Array }

function createTable(places: number, axes: number): Table {
  return { places, axes, free: new Float64Array(places * axes), most: new Float64Array(Math.ceil(places / BLOCK) * axes) }
}

function sumUp({ places, axes, free, most }: Table, place: number): void {
  const block = Math.floor(place / BLOCK)
  const end = Math.min(places, (block + 1) * BLOCK) * axes
  for (let axis = 0; axis < axes; axis++) {
    let largest = Number.NEGATIVE_INFINITY
    for (let at = block * BLOCK * axes + axis; at < end; at += axes) largest = Math.max(largest, free[at] ?? largest)
    most[block * axes + axis] = largest
  }
}

function nextWith(table: Table, amounts: Amounts, from: number): number {
  const { places, axes, free, most } = table
  let place = from
  while (place < places) {
    const block = Math.floor(place / BLOCK)
    const end = Math.min(places, (block + 1) * BLOCK)
    if (!isWithin(amounts, most, block * axes, axes)) place = end
    while (place < end && !isWithin(amounts, free, place * axes, axes)) place++
    if (place < end) return place
  }
  return places
}

function isWithin(amounts: Amounts, table: Float64Array, start: number, axes: number): boolean {
  for (let axis = 0; axis < axes; axis++) if ((amounts[axis] ?? 0) > (table[start + axis] ?? 0)) return false
  return true
}
