import type { ExistingNode } from '../nodes/existingNode.ts'
import type { Amounts, Axes } from '../quantities/amounts.ts'

/** The existing nodes in the order they are offered to pods, and the free amounts of all of them side by side. */
export interface FreeCapacity {
  /** The version that the free amounts were worked out for. */
  readonly version: string
  readonly existingNodes: readonly ExistingNode[]
  /** Returns the first place, `from` or later, that had these amounts free when last told. Returns the count of places if there is none. */
  next(amounts: Amounts, from: number): number
  /** Takes over what the existing node has free now. Does nothing if the node is at none of the places. */
  tell(existingNode: ExistingNode): void
}

/** The number of places in a block. A block is skipped at once where the most that any of its places has free is too little. */
const BLOCK = 64

/** Works out the free amounts of each place, once for each version. */
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

/** `most`: the most that any place of a block has free, axis by axis. */
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
