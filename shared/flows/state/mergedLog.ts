import { leastOf } from '../../base/lists.ts'
import { partSharer } from '../../engine/scheduling/snapshot/sharedParts.ts'
import { type Change, compareVersions, type Version } from '../../model/change.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Checkpoint, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { createObjectStore, type Entry, type ObjectStore } from './objectStore.ts'

const BEFORE_ALL: Version = { term: 0, seq: 0 }
/** After this many deletions, those that no older change can undo are forgotten. It is a small share of the objects of a large cluster. */
const FORGET_AFTER = 5_000

/** The records of a log, merged to the newest version of each object. */
export interface MergedLog {
  readonly store: ObjectStore
  apply(record: LogRecord): void
  /** Why the shim must send everything again. Undefined while nothing is missing. */
  missing(now: EpochMs): string | undefined
  /** Reports whether only some parts of a snapshot have come. A checkpoint made now would lose them. */
  isGathering(): boolean
  compact(position: LogPosition): Checkpoint
}

export type MergeListener = {
  /** Called for each change of the checkpoint. */
  readonly loaded: (change: Change) => void
  /** Called when a version of an object replaces another. `after` is undefined if a snapshot does not hold the object any more. */
  readonly noted: (before: Change | undefined, after: Change | undefined) => void
  /** Called after deletions were forgotten. */
  readonly forgot: () => void
}

/**
 * Merges the records of a log. Of two versions of an object the later one wins. A complete snapshot at a version removes every
 * object with an older version that it does not hold. Deletions are kept as entries until every change before them is
 * known, so that an older version that comes late cannot bring the object back.
 */
export function createMergedLog(from: Checkpoint | undefined, listener: MergeListener): MergedLog {
  const share = entrySharer()
  const store = loadedStore(from?.entries ?? [], share, listener)
  const gathering = createSnapshotParts()
  const seen = createSeenNumbers(from?.complete ?? BEFORE_ALL)
  let floor = from?.floor ?? BEFORE_ALL
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

/** Loads the entries of a checkpoint in a single pass, because with a hundred thousand objects each pass is expensive in itself. */
function loadedStore(entries: Checkpoint['entries'], share: (entry: Entry) => Entry, { loaded }: MergeListener): ObjectStore {
  const store = createObjectStore()
  for (const each of entries) {
    const entry = share(each)
    store.load(entry)
    loaded(entry.change)
  }
  return store
}

/** Returns a function that lets pods share their equal parts, which take most of the memory of a large cluster. */
function entrySharer(): (entry: Entry) => Entry {
  const share = partSharer()
  return (entry) => {
    const { version, change } = entry
    if (change.op !== 'put' || change.kind !== 'pod') return entry
    const object = share(change.object)
    return object === change.object ? entry : { version, change: { ...change, object } }
  }
}

type Part = Extract<LogRecord['body'], { readonly kind: 'snapshot' }>
type Parts = { readonly version: Version; readonly changes: Map<number, readonly Change[]>; readonly of: number }

/** The parts of snapshots that are not complete yet. Parts come in any order, and may come twice. */
export interface SnapshotParts {
  /** Adds a part. Returns the changes of all parts once the last part is there. */
  add(version: Version, part: Part): readonly Change[] | undefined
  /** Forgets the parts of snapshots up to this version. */
  dropUntil(version: Version): void
  isGathering(): boolean
}

function createSnapshotParts(): SnapshotParts {
  const partial = new Map<string, Parts>()
  return {
    add(version, { part, parts: of, changes }) {
      const id = `${version.term}/${version.seq}`
      const parts = partial.get(id) ?? { version, changes: new Map(), of }
      partial.set(id, parts)
      parts.changes.set(part, changes)
      return parts.changes.size === parts.of ? [...parts.changes.values()].flat() : undefined
    },
    dropUntil(floor) {
      for (const [id, { version }] of partial) if (compareVersions(version, floor) <= 0) partial.delete(id)
    },
    isGathering: () => partial.size > 0,
  }
}

/** How long a gap in the numbers may last before the shim is asked to send everything again. */
const HOLE_PATIENCE_MS = 5_000

/**
 * Why nothing can be decided for a cluster whose shim never posted. It is no gap, because there is no state yet. This is normal at each cold start.
 */
export const NOTHING_KNOWN = 'nothing is known of the cluster yet'

/** The numbers of changes that have been seen: all up to a number, and single numbers after a gap. */
export interface SeenNumbers {
  /** Returns the version up to which every change is known. */
  complete(): Version
  /** Notes a record of a term. A later term starts again, with a snapshot of all objects. */
  enterTerm(term: number, at: EpochMs): void
  note(version: Version, at: EpochMs): void
  /** Notes a complete snapshot. It covers every change before it. */
  noteSnapshot(version: Version): void
  /** Returns why the shim must send everything again, or undefined while nothing is missing. `floor`: the version of the newest complete snapshot. */
  missing(floor: Version, now: EpochMs): string | undefined
}

export function createSeenNumbers(from: Version): SeenNumbers {
  const ahead = new Map<number, EpochMs>()
  let complete = from
  let newestTerm = from.term
  let firstOfTermAt: EpochMs | undefined

  function closeHoles(): void {
    while (complete.term === newestTerm && ahead.delete(complete.seq + 1)) complete = { term: newestTerm, seq: complete.seq + 1 }
  }

  return {
    complete: () => complete,
    enterTerm(term, at) {
      if (term <= newestTerm) return
      newestTerm = term
      firstOfTermAt = at
      ahead.clear()
    },
    note(version, at) {
      if (version.term !== newestTerm || compareVersions(version, complete) <= 0) return
      ahead.set(version.seq, at)
      closeHoles()
    },
    noteSnapshot(version) {
      if (compareVersions(version, complete) > 0) complete = version
      for (const seq of ahead.keys()) if (seq <= complete.seq) ahead.delete(seq)
      closeHoles()
    },
    missing(floor, now) {
      if (newestTerm === 0) return NOTHING_KNOWN
      if (floor.term < newestTerm) {
        const waited = now - (firstOfTermAt ?? now)
        return waited >= HOLE_PATIENCE_MS ? `no complete snapshot of term ${newestTerm}` : undefined
      }
      const oldest = leastOf(ahead.values())
      return now - oldest >= HOLE_PATIENCE_MS ? `change ${complete.seq + 1} of term ${newestTerm} never came` : undefined
    },
  }
}
