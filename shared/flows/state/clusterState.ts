import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { Change } from '../../model/change.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeName, NodePoolName, Uid } from '../../model/ids.ts'
import type { JoinOutcome } from '../../model/joinOutcome.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Checkpoint, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { createDecider, type PlannedSnapshot } from './decider.ts'
import { createDepartures } from './departures.ts'
import { createJoinings } from './joinings.ts'
import { createMergedLog } from './mergedLog.ts'
import type { MovePace } from './movePace.ts'
import type { Invalid } from './objectStore.ts'

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
  /** Whether a decision finds the cluster loaded, as the decisions before left it. */
  isLoaded(): boolean
  movePace(): MovePace
  /** What to do now. The first decision loads the cluster; what a later one costs follows what has changed since. */
  decide(context: DecisionContext): Decision
  /** What a decision made now would plan, and everything it would look at. Valid until the next call. */
  plan(context: DecisionContext): PlannedSnapshot
  /** Which machines a decision made now would take away, and why the others stay, whenever the next moves are planned. */
  disrupt(context: DecisionContext): Decision
  /** Everything a decision made now looks at. */
  snapshot(context: DecisionContext): ClusterSnapshot
  /** Why the shim has to send everything again, or undefined while nothing is missing. */
  missing(now: EpochMs): string | undefined
  /** Some parts of a snapshot came and others are still to come: a checkpoint made now would lose them. */
  isGathering(): boolean
  compact(position: LogPosition): Checkpoint
  /** How many objects it holds, deleted ones included that something may still undo. */
  size(): number
}

export function createClusterState(from?: Checkpoint): ClusterState {
  const pending = createPendingPods()
  const departures = createDepartures()
  const joinings = createJoinings()
  const { store, ...log } = createMergedLog(from, {
    loaded: (change) => pending.note(undefined, change),
    noted(before, after) {
      pending.note(before, after)
      if (after === undefined) return
      departures.note(before, after)
      joinings.note(before, after)
    },
    forgot: () => departures.keep((node) => store.find('node', node) !== undefined),
  })
  return {
    ...log,
    ...createDecider(store, departures),
    list: store.list,
    objects: store.all,
    find: store.find,
    isPending: pending.has,
    invalid: store.invalid,
    podLeftAt: departures.leftAt,
    joinings: joinings.of,
    size: store.size,
  }
}

/** Uids of pods that wait for a node. */
function createPendingPods() {
  const uids = new Set<Uid>()
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
