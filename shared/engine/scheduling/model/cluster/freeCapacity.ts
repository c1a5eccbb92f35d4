/** The room of existing nodes side by side, the input that existing nodes are made from, and what has changed of them since earlier tries. */
import { isSame, isSameFlat } from '../../../../base/values.ts'
import type { DecisionContext } from '../../../../model/clusterSnapshot.ts'
import type { Uid } from '../../../../model/ids.ts'
import type { InstanceType } from '../../../../model/instanceType.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { DaemonSet } from '../../../../model/workloads.ts'
import { overlaidTypes, type TypesOf } from '../../../overlay/overlaidTypes.ts'
import type { OtherObjects } from '../../snapshot/otherObjects.ts'
import { type Daemon, daemonsOf } from '../catalog/daemons.ts'
import type { Usage } from '../catalog/limits.ts'
import type { ExistingNode, MachineView } from '../nodes/existingNode.ts'
import type { Attachable, ExistingNodeInput } from '../nodes/existingNodeOf.ts'
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
    fill(table, place, existingNode.free)
  }
  for (let place = 0; place < table.places; place += BLOCK) sumUp(table, place)
  return {
    version,
    existingNodes,
    next: (amounts, from) => nextWith(table, amounts, from),
    tell(existingNode) {
      const { id, free } = existingNode
      if (existingNodes[id] !== existingNode) return
      fill(table, id, free)
      sumUp(table, id)
    },
  }
}

/** `most`: the most that any place of a block has free, axis by axis. */
type Table = { readonly places: number; readonly axes: number; readonly free: Float64Array; readonly most: Float64Array }

function createTable(places: number, axes: number): Table {
  return { places, axes, free: new Float64Array(places * axes), most: new Float64Array(Math.ceil(places / BLOCK) * axes) }
}

/** A loop costs less than a copy of so few numbers. */
function fill({ axes, free }: Table, place: number, amounts: Amounts): void {
  for (let axis = 0; axis < axes; axis++) free[place * axes + axis] = amounts[axis] ?? 0
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

type InstanceTypes = DecisionContext['instanceTypes']

/** The input besides the machine itself from which existing nodes are made. The same object is returned while nothing in it has changed. */
export function existingNodeInputs(
  newestOf: (daemonSet: Uid) => Pod | undefined,
  attachable: Attachable,
): (objects: OtherObjects, types: InstanceTypes) => ExistingNodeInput {
  const typesFor = rememberedTypes()
  const daemonsFor = rememberedDaemons(newestOf)
  let last: ExistingNodeInput | undefined
  return (objects, types) => {
    const typesOf = typesFor(objects, types)
    const daemons = daemonsFor(objects.daemonSet)
    if (last?.typesOf !== typesOf || last.daemons !== daemons) last = { typesOf, daemons, attachable }
    return last
  }
}

function rememberedTypes(): (objects: OtherObjects, types: InstanceTypes) => TypesOf {
  let last: { readonly objects: OtherObjects; readonly types: InstanceTypes; readonly typesOf: TypesOf } | undefined
  return (objects, types) => {
    if (last === undefined || !isSameTypes(last.types, types) || !isSameOverlays(last.objects, objects)) {
      last = { objects, types, typesOf: overlaidTypes({ objects, instanceTypes: types }) }
    }
    return last.typesOf
  }
}

/** Reports whether the overlays have the same effect. Without overlays a pool has the types of its NodeClass. */
function isSameOverlays(first: OtherObjects, second: OtherObjects): boolean {
  if (first.nodeOverlay !== second.nodeOverlay) return false
  return first.nodeOverlay.length === 0 || first.nodePool === second.nodePool
}

function isSameTypes(first: InstanceTypes, second: InstanceTypes): boolean {
  return first === second || (first.size === second.size && [...first].every(([name, types]) => isSameList(types, second.get(name) ?? [])))
}

function isSameList(first: readonly InstanceType[], second: readonly InstanceType[]): boolean {
  return first === second || (first.length === second.length && first.every((type, index) => type === second[index]))
}

/** Remembers the daemons. Their pods come and go with every machine, and ask for the same. */
function rememberedDaemons(newestOf: (daemonSet: Uid) => Pod | undefined): (sets: readonly DaemonSet[]) => readonly Daemon[] {
  let last: { readonly sets: readonly DaemonSet[]; readonly asked: readonly unknown[]; readonly daemons: readonly Daemon[] } | undefined
  return (sets) => {
    const asked = sets.map(({ uid, pod }) => {
      const { requests, hostPorts } = newestOf(uid) ?? pod
      return [requests, hostPorts]
    })
    if (last === undefined || last.sets !== sets || !isSame(last.asked, asked)) {
      last = { sets, asked, daemons: daemonsOf(sets, newestOf) }
    }
    return last.daemons
  }
}

/** A place that is the same as before but for its room. */
export type RoomChange = { readonly before: ExistingNode; readonly after: ExistingNode }

/** A machine as it was looked at. */
export type LookedAt = { readonly view: MachineView; readonly usage: Usage | undefined; readonly existingNode: ExistingNode | undefined }

/**
 * What has changed of the places that machines offer to pods. A caller that has tried places before can tell which of these tries would now end
 * differently.
 */
export interface PlaceChanges {
  /** Notes what a machine was and is. Undefined: it was not there, or is there no longer. */
  note(before: LookedAt | undefined, after: LookedAt | undefined): void
  /** The changes since the last call. Undefined if more than the room of few machines has changed. */
  take(): readonly RoomChange[] | undefined
}

/** The most changes that are remembered. With more, what was tried before is of little use. */
const MOST_CHANGES = 256

export function createPlaceChanges(): PlaceChanges {
  let rooms: RoomChange[] | undefined
  return {
    note(before, after) {
      if (rooms === undefined) return
      const change = changeOf(before, after)
      if (change === 'other' || rooms.length >= MOST_CHANGES) rooms = undefined
      else if (change !== undefined) rooms.push(change)
    },
    take() {
      const taken = rooms
      rooms = []
      return taken
    },
  }
}

/** Undefined if plans cannot tell the machine from what it was. */
function changeOf(before: LookedAt | undefined, after: LookedAt | undefined): RoomChange | 'other' | undefined {
  if (before === undefined || after === undefined || !isSameMachine(before, after)) return 'other'
  const [place, next] = [before.existingNode, after.existingNode]
  if (place === undefined || next === undefined) return place === next ? undefined : 'other'
  if (!isSamePlace(place, next)) return 'other'
  return hasSameRoom(place, next) ? undefined : { before: place, after: next }
}

function isSameMachine(first: LookedAt, second: LookedAt): boolean {
  const [one, other] = [first.view, second.view]
  return (
    one.machine.node !== undefined &&
    other.machine.node !== undefined &&
    one.machine.isDeleting === other.machine.isDeleting &&
    isSameFlat(one.labels, other.labels) &&
    isSame(one.taints, other.taints) &&
    isSame(first.usage, second.usage)
  )
}

/** A place of a machine that comes up may change with its claim. */
function isSamePlace(first: ExistingNode, second: ExistingNode): boolean {
  return first.stage === 0 && second.stage === 0 && first.label === second.label && first.claim === second.claim
}

function hasSameRoom(first: ExistingNode, second: ExistingNode): boolean {
  return (
    isSame(first.left, second.left) &&
    isSame(first.ports, second.ports) &&
    isSame(first.mounted, second.mounted) &&
    isSame(first.daemonsToCome, second.daemonsToCome)
  )
}
