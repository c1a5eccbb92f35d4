import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { type KubeObject, keyOf } from '../kube/listObjects.ts'
import { trustedJson } from '../trustedJson.ts'
import type { ChangeParts } from './changeText.ts'
import { unpackText } from './heldText.ts'
import { gapList, type ListSink, snapshotList } from './listSinks.ts'
import type { BatchLimits, Unsent } from './outbox.ts'
import type { ReducedVersion } from './reducedVersion.ts'
import type { BufferSection } from './snapshotBuffer.ts'
import {
  type ChangeTrackerDeps,
  createTrackerState,
  forgetDeleted,
  isGone,
  type KeyRows,
  rowsOf,
  see,
  type TrackerState,
} from './trackerState.ts'

/**
 * Turns what lists and watches show into numbered changes.
 *
 * This is why no update is lost and no deleted object comes back. The app keeps the version of an object with the greatest number. A complete
 * snapshot with number S removes every object that is older than S and not in the snapshot.
 *
 * 1. Changes get their numbers when they are taken to be posted: without gaps, in the order in which they are posted.
 * 2. `KnownObjects` holds the fingerprint of the version with the greatest number. A version is left out only if it equals that version, so leaving
 *    it out changes nothing at the app.
 * 3. A snapshot gets its number S before its first list request, and all objects in it carry S. Its lists are consistent reads, so they show at least
 *    everything that was posted with a number below S.
 *    - A change that the watch shows afterwards gets a number above S and wins over the snapshot, whichever reaches the app first. The list may have
 *      read a newer version than this change. The watch then still has to show the newer version. That version is sent, because the fingerprint is
 *      that of the change.
 *    - An object without a change after S takes the list's version and fingerprint. If the watch is behind the list, it shows older versions next.
 *      They are sent, and the app goes back to them for a moment, until the watch has caught up: a watch shows every version up to the newest. The
 *      app is then no staler than the watch itself.
 *    - An object that is not in the list and has no change after S is deleted: the app and the table forget it together. An object whose deletion the
 *      watch shows during the list stays in the table as deleted until the list ends, so that a page read before the deletion cannot add the object
 *      again.
 * 4. A list that closes a gap in a watch (410) runs while the kind has neither a watch nor a snapshot list. An object that differs is queued as a
 *    change, a missing object as a deletion.
 */
export interface ChangeTracker {
  readonly unsent: number
  readonly unsentLength: number
  readonly objects: number
  readonly pendingPods: number
  /** Reports whether the object exists, as far as lists and watches have shown. */
  isKnown(kind: ObjectKind, key: string): boolean
  /** The rows of the objects of a kind that exist. */
  rowsOf(kind: ObjectKind): KeyRows
  /** Takes in a version that a watch showed. */
  see(kind: ObjectKind, key: string, version: ReducedVersion): void
  /** Begins a list that closes a gap in a watch. */
  beginGapList(kind: ObjectKind): ListSink
  /** Returns the number of a new snapshot. */
  beginSnapshot(): number
  beginSnapshotList(kind: ObjectKind, seq: number, section: BufferSection): ListSink
  /** Queues every pod that still waits for a node again, as it was last sent. */
  queuePending(): void
  /** Takes the next batch and gives numbers to its changes. */
  take(limits: BatchLimits): readonly ChangeParts[]
  /**
   * Gives new numbers to the changes of a part of snapshot `seq`, so that they can be posted by themselves. Leaves out objects of which a newer
   * version was seen since.
   */
  renumber(seq: number, changes: string): readonly ChangeParts[]
  /** The app does not take the pod as it is. The pod is not sent again until it changes. */
  giveUp(kind: ObjectKind, key: string): void
  /** Drops all unsent changes. Only allowed if a snapshot follows. */
  dropUnsent(): void
}

export function createChangeTracker(deps: ChangeTrackerDeps): ChangeTracker {
  const state = createTrackerState(deps)
  const { known, outbox, pending } = state
  return {
    get unsent() {
      return outbox.size
    },
    get unsentLength() {
      return outbox.length
    },
    get objects() {
      return OBJECT_KINDS.reduce((sum, kind) => sum + known[kind].size, 0)
    },
    get pendingPods() {
      return pending.size
    },
    isKnown: (kind, key) => !isGone(state, kind, key),
    rowsOf: (kind) => rowsOf(state, kind),
    see: (kind, key, version) => see(state, { kind, key, version }),
    beginGapList: (kind) => gapList(state, kind),
    beginSnapshot: () => ++state.lastSeq,
    beginSnapshotList: (kind, seq, section) => snapshotList(state, { kind, seq, section }),
    queuePending() {
      for (const [key, text] of pending) {
        if (outbox.has('pod', key)) continue
        known.pod.queue(key, known.pod.fingerprint(key) ?? 0)
        outbox.put({ kind: 'pod', key, at: deps.now(), op: 'put', text })
      }
      deps.onUnsent()
    },
    take: (limits) => outbox.take(limits).map((unsent) => numbered(state, { ...unsent, text: unpackText(unsent.text) })),
    renumber: (seq, changes) => renumbered(state, seq, changes),
    giveUp(kind, key) {
      if (kind === 'pod') pending.delete(key)
    },
    dropUnsent() {
      for (const { kind, key, op } of outbox.clear()) {
        known[kind].setVersion(key, 0)
        if (op === 'delete') forgetDeleted(state, kind, key)
      }
    },
  }
}

function numbered(state: TrackerState, unsent: Unsent & { readonly text: string }): ChangeParts {
  const seq = ++state.lastSeq
  state.known[unsent.kind].setVersion(unsent.key, seq)
  if (unsent.op === 'delete') forgetDeleted(state, unsent.kind, unsent.key)
  return { ...unsent, seq }
}

type BufferedChange = { readonly kind: ObjectKind; readonly at: EpochMs; readonly object: Pick<KubeObject, 'metadata'> }

/** An object that is not in the table was deleted since. An object that is queued, or was posted with a later number, needs no new change. */
function renumbered(state: TrackerState, seq: number, changes: string): readonly ChangeParts[] {
  const buffered = trustedJson<readonly BufferedChange[]>(`[${changes}]`)
  return buffered.flatMap(({ at, kind, object }) => {
    const key = keyOf(object)
    const table = state.known[kind]
    if (table.fingerprint(key) === undefined || table.isNewerThan(key, seq)) return []
    return [numbered(state, { kind, key, at, op: 'put', text: `"object":${JSON.stringify(object)}` })]
  })
}
