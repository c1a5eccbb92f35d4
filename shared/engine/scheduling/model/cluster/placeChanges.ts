/** What has changed of the places that machines offer to pods. Who has tried places before can tell which of these tries would now end differently. */
import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import type { Usage } from '../catalog/limits.ts'
import type { ExistingNode } from '../nodes/existingNode.ts'
import type { MachineView } from '../nodes/machineView.ts'

/** A place that is the same as before but for its room. */
export type RoomChange = { readonly before: ExistingNode; readonly after: ExistingNode }

/** A machine as it was looked at. */
export type LookedAt = { readonly view: MachineView; readonly usage: Usage | undefined; readonly existingNode: ExistingNode | undefined }

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
