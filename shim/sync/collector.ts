import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { type ChangeParts, changeText } from './changeText.ts'
import { createKnownObjects, type KnownObjects } from './knownObjects.ts'
import { type BatchLimits, createOutbox, type Unsent } from './outbox.ts'
import { DELETED, type ReducedVersion } from './reducedVersion.ts'
import type { SpoolSection } from './spool.ts'

/**
 * Turns what lists and watches show into numbered changes.
 *
 * Why no update is lost and nothing deleted comes back. The app keeps, of an object, the version with the greatest stamp,
 * and a complete snapshot at number S takes away what is older than S and not in it. Here:
 *
 * 1. Changes get their numbers when they are taken to be posted, without holes, in the order they are posted.
 * 2. `KnownObjects` holds the fingerprint of the version with the greatest stamp. A version is left unsent only if it
 *    equals that one, so leaving it out changes nothing at the app.
 * 3. A snapshot takes its number S before its first list is asked for, and all it holds is stamped S. Its lists are
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
export interface Collector {
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
  beginSnapshotList(kind: ObjectKind, seq: number, section: SpoolSection): ListSink
  /** Queues again every pod that still waits for a node, as it was last sent. */
  queuePending(): void
  /** Numbers and takes the next batch. */
  take(limits: BatchLimits): readonly ChangeParts[]
  /** The app will not take the pod as it is: stops sending it again until it changes. */
  giveUp(kind: ObjectKind, key: string): void
  /** Lets go of everything unsent: only when a snapshot follows. */
  dropUnsent(): void
}

/** One list of one kind: `restart` when its pages have to be read again from the first. */
export interface ListSink {
  add(key: string, version: ReducedVersion): void
  restart(): void
  end(): void
}

export type CollectorDeps = { readonly now: () => EpochMs; readonly onUnsent: () => void }

export function createCollector(deps: CollectorDeps): Collector {
  const known = knownByKind()
  const outbox = createOutbox()
  const pending = new Map<string, string>()
  const listing = new Map<ObjectKind, string[]>()
  let lastSeq = 0

  function queue(kind: ObjectKind, key: string, version: ReducedVersion): void {
    known[kind].queue(key, version.fingerprint)
    notePending(kind, key, version)
    outbox.put({ kind, key, at: deps.now(), op: version.op, text: version.text })
    deps.onUnsent()
  }

  function notePending(kind: ObjectKind, key: string, version: ReducedVersion): void {
    if (kind !== 'pod') return
    if (version.pending) pending.set(key, version.text)
    else pending.delete(key)
  }

  function numbered(unsent: Unsent): ChangeParts {
    const seq = ++lastSeq
    known[unsent.kind].stamp(unsent.key, seq)
    if (unsent.op === 'delete') forgetDeleted(unsent.kind, unsent.key)
    return { ...unsent, seq }
  }

  function forgetDeleted(kind: ObjectKind, key: string): void {
    const deletedDuringList = listing.get(kind)
    if (deletedDuringList) deletedDuringList.push(key)
    else known[kind].forget(key)
  }

  function isGone(kind: ObjectKind, key: string): boolean {
    const fingerprint = known[kind].fingerprint(key)
    return fingerprint === undefined || fingerprint === DELETED.fingerprint
  }

  function see(kind: ObjectKind, key: string, version: ReducedVersion): void {
    if (version.op === 'delete' ? isGone(kind, key) : known[kind].fingerprint(key) === version.fingerprint) return
    queue(kind, key, version)
  }

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
    see,
    beginGapList(kind) {
      const table = known[kind]
      return {
        add(key, version) {
          see(kind, key, version)
          if (version.op !== 'delete') table.markSeen(key)
        },
        restart() {
          table.takeUnseen()
        },
        end() {
          for (const key of table.takeUnseen()) see(kind, key, DELETED)
        },
      }
    },
    beginSnapshot() {
      return ++lastSeq
    },
    beginSnapshotList(kind, seq, section) {
      const table = known[kind]
      listing.set(kind, [])
      return {
        add(key, version) {
          if (version.op === 'delete' || table.isNewerThan(key, seq)) return
          table.queue(key, version.fingerprint)
          table.stamp(key, seq)
          table.markSeen(key)
          notePending(kind, key, version)
          section.add(changeText({ seq, at: deps.now(), kind, key, op: version.op, text: version.text }))
        },
        restart() {
          section.restart()
          table.takeUnseen()
        },
        end() {
          for (const key of table.takeUnseen()) {
            if (table.isNewerThan(key, seq)) continue
            table.forget(key)
            if (kind === 'pod') pending.delete(key)
          }
          const deleted = listing.get(kind) ?? []
          listing.delete(kind)
          for (const key of deleted) if (isGone(kind, key) && !outbox.has(kind, key)) table.forget(key)
        },
      }
    },
    queuePending() {
      for (const [key, text] of pending) {
        if (outbox.has('pod', key)) continue
        known.pod.queue(key, known.pod.fingerprint(key) ?? 0)
        outbox.put({ kind: 'pod', key, at: deps.now(), op: 'put', text })
      }
      deps.onUnsent()
    },
    take(limits) {
      return outbox.take(limits).map(numbered)
    },
    giveUp(kind, key) {
      if (kind === 'pod') pending.delete(key)
    },
    dropUnsent() {
      for (const { kind, key, op } of outbox.clear()) {
        known[kind].stamp(key, 0)
        if (op === 'delete') forgetDeleted(kind, key)
      }
    },
  }
}

function knownByKind(): { readonly [Kind in ObjectKind]: KnownObjects } {
  const tables = OBJECT_KINDS.map((kind) => [kind, createKnownObjects()] as const)
  // every kind is in OBJECT_KINDS
  return Object.fromEntries(tables) as { [Kind in ObjectKind]: KnownObjects }
}
