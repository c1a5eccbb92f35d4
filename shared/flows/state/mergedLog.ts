import { partSharer } from '../../engine/scheduling/snapshot/sharedParts.ts'
import { type Change, compareVersions, type Version } from '../../model/change.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Checkpoint, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import type { Entry } from './entriesInOrder.ts'
import { createObjectStore, type ObjectStore } from './objectStore.ts'
import { createSeenNumbers } from './seenNumbers.ts'
import { createSnapshotParts } from './snapshotParts.ts'

const NOTHING: Version = { term: 0, seq: 0 }
/** Deletions after which the ones that nothing can undo any more are forgotten: a small share of what a large cluster holds. */
const FORGET_AFTER = 5_000

/** The records of a log, merged to the newest version of each object. */
export interface MergedLog {
  readonly store: ObjectStore
  apply(record: LogRecord): void
  /** Why the shim has to send everything again, or undefined while nothing is missing. */
  missing(now: EpochMs): string | undefined
  /** Some parts of a snapshot came and others are still to come: a checkpoint made now would lose them. */
  isGathering(): boolean
  compact(position: LogPosition): Checkpoint
}

export type MergeListener = {
  /** The checkpoint holds it. */
  readonly loaded: (change: Change) => void
  /** One version of an object took the place of another. `after` undefined: a snapshot does not hold the object any more. */
  readonly noted: (before: Change | undefined, after: Change | undefined) => void
  /** Deletions were forgotten. */
  readonly forgot: () => void
}

/**
 * The merge rule: of two versions of an object the later one wins, and a complete snapshot at a version removes every
 * object with an older version that it does not hold. Deletions are kept as entries until every change before them is
 * known, so that a late older version cannot bring the object back.
 */
export function createMergedLog(from: Checkpoint | undefined, listener: MergeListener): MergedLog {
  const share = entrySharer()
  const store = loadedStore(from?.entries ?? [], share, listener)
  const gathering = createSnapshotParts()
  const seen = createSeenNumbers(from?.complete ?? NOTHING)
  let floor = from?.floor ?? NOTHING
  let deletions = 0

  function put(version: Version, change: Change): void {
    if (compareVersions(version, floor) < 0) return
    const present = store.get(change.kind, change.key)
    if (present && compareVersions(present.version, version) >= 0) return
    store.set(share({ version, change }))
    if (change.op === 'delete') deletions++
    listener.noted(present?.change, change)
  }

  function applySnapshot(version: Version, changes: readonly Change[]): void {
    floor = version
    store.removeIf((entry) => {
      const isOlder = compareVersions(entry.version, version) < 0
      if (isOlder) listener.noted(entry.change, undefined)
      return isOlder
    })
    for (const change of changes) put(version, change)
    gathering.dropUntil(version)
    seen.noteSnapshot(version)
  }

  function forgetDeleted(): void {
    deletions = 0
    const complete = seen.complete()
    store.removeIf(({ version, change }) => change.op === 'delete' && compareVersions(version, complete) <= 0)
    listener.forgot()
  }

  return {
    store,
    apply({ term, receivedAt, body }) {
      seen.enterTerm(term, receivedAt)
      if (body.kind === 'changes') {
        for (const change of body.changes) {
          const version = { term, seq: change.seq }
          if (compareVersions(version, seen.complete()) > 0) put(version, change)
          seen.note(version, receivedAt)
        }
        if (deletions >= FORGET_AFTER) forgetDeleted()
        return
      }
      const version = { term, seq: body.seq }
      if (compareVersions(version, floor) <= 0) return
      const whole = gathering.add(version, body)
      if (whole !== undefined) applySnapshot(version, whole)
    },
    missing: (now) => seen.missing(floor, now),
    isGathering: gathering.isGathering,
    compact(position) {
      forgetDeleted()
      return { position, floor, complete: seen.complete(), entries: store.sorted() }
    },
  }
}

/** One walk: to look at each of a hundred thousand objects costs more than what is done with it. */
function loadedStore(entries: Checkpoint['entries'], share: (entry: Entry) => Entry, { loaded }: MergeListener): ObjectStore {
  const store = createObjectStore()
  for (const each of entries) {
    const entry = share(each)
    store.load(entry)
    loaded(entry.change)
  }
  return store
}

/** Pods that say the same share it: most of the memory of a large cluster. */
function entrySharer(): (entry: Entry) => Entry {
  const share = partSharer()
  return (entry) => {
    const { version, change } = entry
    if (change.op !== 'put' || change.kind !== 'pod') return entry
    const object = share(change.object)
    return object === change.object ? entry : { version, change: { ...change, object } }
  }
}
