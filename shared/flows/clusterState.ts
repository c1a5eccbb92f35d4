import { byText } from '../base/order.ts'
import { type Change, compareStamps, type Stamp } from '../model/change.ts'
import type { ObjectByKind, ObjectKind } from '../model/clusterObjects.ts'
import type { NodeName, NodePoolName } from '../model/ids.ts'
import type { JoinOutcome } from '../model/joinOutcome.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { CompactState, LogPosition, LogRecord } from '../ports/clusterLog.ts'
import { createDepartures } from './departures.ts'
import { createJoinings } from './joinings.ts'
import { createSeenNumbers } from './seenNumbers.ts'

const NOTHING: Stamp = { term: 0, seq: 0 }

type Entry = { readonly stamp: Stamp; readonly change: Change }
type Parts = { readonly stamp: Stamp; readonly changes: Map<number, readonly Change[]>; readonly of: number }

/** The mutable picture of one cluster, built from its log. Records may come twice and in any order: the end is the same. */
export interface ClusterState {
  apply(record: LogRecord): void
  objects(): { readonly [Kind in ObjectKind]: readonly ObjectByKind[Kind][] }
  find<Kind extends ObjectKind>(kind: Kind, key: string): ObjectByKind[Kind] | undefined
  /** Objects that exist and cannot be understood, with the problem of each. */
  invalid(): readonly { readonly kind: ObjectKind; readonly key: string; readonly problem: Problem }[]
  /** When a pod last left the node, by end or deletion, as far as the log read here goes back. Pods of DaemonSets do not count. */
  podLeftAt(node: NodeName): EpochMs | undefined
  /** How the last claims of the pool came out, oldest first, as far as the log read here goes back. */
  joinings(pool: NodePoolName): readonly JoinOutcome[]
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
  const entries = new Map<string, Entry>()
  const partial = new Map<string, Parts>()
  const departures = createDepartures()
  const joinings = createJoinings()
  const seen = createSeenNumbers(from?.complete ?? NOTHING)
  let floor = from?.floor ?? NOTHING
  for (const entry of from?.entries ?? []) entries.set(idOf(entry.change), entry)

  function put(stamp: Stamp, change: Change): void {
    if (compareStamps(stamp, floor) < 0) return
    const id = idOf(change)
    const present = entries.get(id)
    if (present && compareStamps(present.stamp, stamp) >= 0) return
    entries.set(id, { stamp, change })
    departures.note(present?.change, change)
    joinings.note(present?.change, change)
  }

  function applySnapshot(stamp: Stamp, changes: readonly Change[]): void {
    floor = stamp
    for (const [id, entry] of entries) if (compareStamps(entry.stamp, stamp) < 0) entries.delete(id)
    for (const change of changes) put(stamp, change)
    for (const [id, parts] of partial) if (compareStamps(parts.stamp, floor) <= 0) partial.delete(id)
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
      const parts = partsOf(partial, stamp, body.parts)
      parts.changes.set(body.part, body.changes)
      if (parts.changes.size === parts.of) applySnapshot(stamp, [...parts.changes.values()].flat())
    },
    objects: () => objectsByKind(entries),
    find(kind, key) {
      const change = entries.get(`${kind}/${key}`)?.change
      return change?.op === 'put' && isKind(change, kind) ? change.object : undefined
    },
    invalid: () => invalidOf(entries),
    podLeftAt: departures.leftAt,
    joinings: joinings.of,
    missing: (now) => seen.missing(floor, now),
    isGathering: () => partial.size > 0,
    compact: (position) => ({ position, floor, complete: seen.complete(), entries: compacted(entries, seen.complete()) }),
  }
}

function invalidOf(entries: ReadonlyMap<string, Entry>): ReturnType<ClusterState['invalid']> {
  return [...entries.values()].flatMap(({ change }) =>
    change.op === 'invalid' ? [{ kind: change.kind, key: change.key, problem: change.problem }] : [],
  )
}

/** Entries in a fixed order. Deletions that nothing older can undo any more are dropped, also from what is held. */
function compacted(entries: Map<string, Entry>, complete: Stamp): readonly Entry[] {
  for (const [id, entry] of entries) {
    if (entry.change.op === 'delete' && compareStamps(entry.stamp, complete) <= 0) entries.delete(id)
  }
  return [...entries].sort(([first], [second]) => byText(first, second)).map(([, entry]) => entry)
}

function idOf(change: Change): string {
  return `${change.kind}/${change.key}`
}

function partsOf(partial: Map<string, Parts>, stamp: Stamp, of: number): Parts {
  const id = `${stamp.term}/${stamp.seq}`
  const parts = partial.get(id) ?? { stamp, changes: new Map(), of }
  partial.set(id, parts)
  return parts
}

function isKind<Kind extends ObjectKind>(
  change: Change & { readonly op: 'put' },
  kind: Kind,
): change is typeof change & { object: ObjectByKind[Kind] } {
  return change.kind === kind
}

function objectsByKind(entries: ReadonlyMap<string, Entry>): { readonly [Kind in ObjectKind]: readonly ObjectByKind[Kind][] } {
  const lists: { [Kind in ObjectKind]: ObjectByKind[Kind][] } = {
    pod: [],
    node: [],
    nodeClaim: [],
    nodePool: [],
    nodeClass: [],
    daemonSet: [],
    podDisruptionBudget: [],
    persistentVolumeClaim: [],
    persistentVolume: [],
    storageClass: [],
    csiNode: [],
    namespace: [],
    nodeOverlay: [],
    capacityBuffer: [],
    podTemplate: [],
    deployment: [],
    statefulSet: [],
    replicaSet: [],
    replicationController: [],
    service: [],
  }
  for (const { change } of entries.values()) {
    if (change.op === 'put') add(lists, change)
  }
  return lists
}

function add<Kind extends ObjectKind>(
  lists: { [Each in ObjectKind]: ObjectByKind[Each][] },
  change: { readonly kind: Kind; readonly object: ObjectByKind[Kind] },
): void {
  lists[change.kind].push(change.object)
}
