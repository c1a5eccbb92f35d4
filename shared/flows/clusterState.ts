import type { Occasion } from '../engine/scheduling/state/occasion.ts'
import { partSharer } from '../engine/scheduling/state/sharedParts.ts'
import { type Change, compareStamps, type Stamp } from '../model/change.ts'
import type { ObjectByKind, ObjectKind } from '../model/clusterObjects.ts'
import type { Decision } from '../model/decision.ts'
import type { NodeName, NodePoolName, Uid } from '../model/ids.ts'
import type { JoinOutcome } from '../model/joinOutcome.ts'
import type { Pod } from '../model/pod.ts'
import type { EpochMs } from '../model/units.ts'
import type { CompactState, LogPosition, LogRecord } from '../ports/clusterLog.ts'
import { createDecider, type PlannedSnapshot } from './decider.ts'
import { createDepartures } from './departures.ts'
import { createJoinings } from './joinings.ts'
import { createObjectStore, type Entry, type Invalid, type ObjectStore } from './objectStore.ts'
import { createSeenNumbers } from './seenNumbers.ts'
import { createSnapshotParts } from './snapshotParts.ts'

const NOTHING: Stamp = { term: 0, seq: 0 }

/** The mutable picture of one cluster, built from its log. Records may come twice and in any order: the end is the same. */
export interface ClusterState {
  apply(record: LogRecord): void
  /** Objects of a kind: the same list until one of them changes. */
  list<Kind extends ObjectKind>(kind: Kind): readonly ObjectByKind[Kind][]
  objects(): { readonly [Kind in ObjectKind]: readonly ObjectByKind[Kind][] }
  find<Kind extends ObjectKind>(kind: Kind, key: string): ObjectByKind[Kind] | undefined
  /** Whether a pod of this uid waits for a node. */
  isPending(pod: Uid): boolean
  /** Objects that exist and cannot be understood, with the problem of each. */
  invalid(): readonly Invalid[]
  /** When a pod last left the node, by end or deletion, as far as the log read here goes back. Pods of DaemonSets do not count. */
  podLeftAt(node: NodeName): EpochMs | undefined
  /** How the last claims of the pool came out, oldest first, as far as the log read here goes back. */
  joinings(pool: NodePoolName): readonly JoinOutcome[]
  /** What to do now. The first decision loads the cluster; what a later one costs follows what has changed since. */
  decide(occasion: Occasion): Decision
  /** What a decision made now would plan, and everything it would look at. Valid until the next call. */
  plan(occasion: Occasion): PlannedSnapshot
  /** Why the shim has to send everything again, or undefined while nothing is missing. */
  missing(now: EpochMs): string | undefined
  /** Some parts of a snapshot came and others are still to come: a compact state made now would lose them. */
  isGathering(): boolean
  compact(position: LogPosition): CompactState
}

/**
 * The merge rule: of two versions of an object the later stamp wins, and a complete snapshot at a stamp removes every
 * object with an older stamp that it does not hold. Deletions are kept as entries until every change before them is
 * known, so that a late older version cannot bring the object back.
 */
export function createClusterState(from?: CompactState): ClusterState {
  const share = entrySharer()
  const store = createObjectStore((from?.entries ?? []).map(share))
  const gathering = createSnapshotParts()
  const pending = pendingIn(store.list('pod'))
  const departures = createDepartures()
  const joinings = createJoinings()
  const seen = createSeenNumbers(from?.complete ?? NOTHING)
  let floor = from?.floor ?? NOTHING

  function put(stamp: Stamp, change: Change): void {
    if (compareStamps(stamp, floor) < 0) return
    const present = store.get(change.kind, change.key)
    if (present && compareStamps(present.stamp, stamp) >= 0) return
    store.set(share({ stamp, change }))
    pending.note(present?.change, change)
    departures.note(present?.change, change)
    joinings.note(present?.change, change)
  }

  function applySnapshot(stamp: Stamp, changes: readonly Change[]): void {
    floor = stamp
    store.removeIf((entry) => {
      const isOlder = compareStamps(entry.stamp, stamp) < 0
      if (isOlder) pending.note(entry.change, undefined)
      return isOlder
    })
    for (const change of changes) put(stamp, change)
    gathering.dropUntil(stamp)
    seen.noteSnapshot(stamp)
  }

  return {
    apply({ term, receivedAt, body }) {
      seen.enterTerm(term, receivedAt)
      if (body.kind === 'changes') {
        for (const change of body.changes) {
          const stamp = { term, seq: change.seq }
          if (compareStamps(stamp, seen.complete()) > 0) put(stamp, change)
          seen.note(stamp, receivedAt)
        }
        return
      }
      const stamp = { term, seq: body.seq }
      if (compareStamps(stamp, floor) <= 0) return
      const whole = gathering.add(stamp, body)
      if (whole !== undefined) applySnapshot(stamp, whole)
    },
    list: store.list,
    objects: store.all,
    find: store.find,
    isPending: pending.has,
    invalid: store.invalid,
    podLeftAt: departures.leftAt,
    joinings: joinings.of,
    ...createDecider(store, departures),
    missing: (now) => seen.missing(floor, now),
    isGathering: gathering.isGathering,
    compact: (position) => ({ position, floor, complete: seen.complete(), entries: compacted(store, seen.complete()) }),
  }
}

/** Entries in a fixed order. Deletions that nothing older can undo any more are dropped, also from what is held. */
function compacted(store: ObjectStore, complete: Stamp): readonly Entry[] {
  store.removeIf(({ stamp, change }) => change.op === 'delete' && compareStamps(stamp, complete) <= 0)
  return store.sorted()
}

/** Uids of pods that wait for a node. */
function pendingIn(pods: readonly Pod[]) {
  const uids = new Set(pods.filter(isPending).map(({ uid }) => uid))
  return {
    has: (uid: Uid): boolean => uids.has(uid),
    note(before: Change | undefined, after: Change | undefined): void {
      if (before?.op === 'put' && before.kind === 'pod') uids.delete(before.object.uid)
      if (after?.op === 'put' && after.kind === 'pod' && isPending(after.object)) uids.add(after.object.uid)
    },
  }
}

function isPending({ nodeName, deletedAt }: Pod): boolean {
  return nodeName === undefined && deletedAt === undefined
}

/** Pods that say the same share it: most of the memory of a large cluster. */
function entrySharer(): (entry: Entry) => Entry {
  const share = partSharer()
  return (entry) =>
    entry.change.op === 'put' && entry.change.kind === 'pod'
      ? { stamp: entry.stamp, change: { ...entry.change, object: share(entry.change.object) } }
      : entry
}
