import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import { trustedJson } from '../trustedJson.ts'
import type { ChangeParts } from './changeText.ts'
import { gapList, type ListSink, snapshotList } from './listSinks.ts'
import type { BatchLimits, Unsent } from './outbox.ts'
import type { ReducedVersion } from './reducedVersion.ts'
import type { BufferSection } from './snapshotBuffer.ts'
import { type ChangeTrackerDeps, createTrackerState, forgetDeleted, see, type TrackerState } from './trackerState.ts'

/**
 * Turns what lists and watches show into numbered changes.
 *
 * Why no update is lost and nothing deleted comes back. The app keeps, of an object, the version with the greatest number,
 * and a complete snapshot at number S takes away what is older than S and not in it. Here:
 *
 * 1. Changes get their numbers when they are taken to be posted, without holes, in the order they are posted.
 * 2. `KnownObjects` holds the fingerprint of the version with the greatest number. A version is left unsent only if it
 *    equals that one, so leaving it out changes nothing at the app.
 * 3. A snapshot takes its number S before its first list is asked for, and all objects in it carry S. Its lists are
 *    consistent reads, so they show at least everything that was posted with a number below S.
 *    - A change the watch shows afterwards gets a number above S and wins over the snapshot, whichever comes first. The
 *      list may have read a newer version than that change; then the watch has still to show it, and since the
 *      fingerprint is that of the change, it will be sent.
 *    - An object with no change after S takes the list's version and fingerprint. If the watch is behind the list it
 *      shows older versions next; they are sent and the app goes back for a moment, until the watch, which shows every
 *      version up to the newest, has caught up. That is no staler than the watch itself.
 *    - An object not in the list and with no change after S is gone: app and table forget it together. An object
 *      deleted by the watch during the list stays in the table as deleted until the list ended, so that a page read
 *      before the deletion cannot make it known again.
 * 4. A list that closes a gap in a watch (410) runs while that kind has neither a watch nor a snapshot list: what
 *    differs is queued as a change, what is missing as a deletion.
 */
export interface ChangeTracker {
  readonly unsent: number
  readonly unsentLength: number
  readonly objects: number
  readonly pendingPods: number
  /** A version that a watch showed. */
  see(kind: ObjectKind, key: string, version: ReducedVersion): void
  /** A list that closes a gap in a watch. */
  beginGapList(kind: ObjectKind): ListSink
  /** Numbers a snapshot. */
  beginSnapshot(): number
  beginSnapshotList(kind: ObjectKind, seq: number, section: BufferSection): ListSink
  /** Queues again every pod that still waits for a node, as it was last sent. */
  queuePending(): void
  /** Numbers and takes the next batch. */
  take(limits: BatchLimits): readonly ChangeParts[]
  /** Numbers the changes of a part of snapshot `seq` anew, to go by themselves: those that nothing newer was seen of since. */
  renumber(seq: number, changes: string): readonly ChangeParts[]
  /** The app will not take the pod as it is: stops sending it again until it changes. */
  giveUp(kind: ObjectKind, key: string): void
  /** Lets go of everything unsent: only when a snapshot follows. */
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
    take: (limits) => outbox.take(limits).map((unsent) => numbered(state, unsent)),
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

function numbered(state: TrackerState, unsent: Unsent): ChangeParts {
  const seq = ++state.lastSeq
  state.known[unsent.kind].setVersion(unsent.key, seq)
  if (unsent.op === 'delete') forgetDeleted(state, unsent.kind, unsent.key)
  return { ...unsent, seq }
}

type BufferedChange = Omit<ChangeParts, 'text'> & { readonly object?: unknown; readonly problem?: unknown }

/** An object that is not known any more was deleted since, and what is queued or posted with a later number stands for itself. */
function renumbered(state: TrackerState, seq: number, changes: string): readonly ChangeParts[] {
  const buffered = trustedJson<readonly BufferedChange[]>(`[${changes}]`)
  return buffered.flatMap(({ at, kind, key, op, object, problem }) => {
    const table = state.known[kind]
    if (table.fingerprint(key) === undefined || table.isNewerThan(key, seq)) return []
    return [numbered(state, { kind, key, at, op, text: JSON.stringify({ object, problem }).slice(1, -1) })]
  })
}
