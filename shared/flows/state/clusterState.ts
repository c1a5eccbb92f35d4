import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { Change } from '../../model/change.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeName, NodePoolName, Uid } from '../../model/ids.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { Pod } from '../../model/pod.ts'
import type { RegistrationOutcome } from '../../model/registrationOutcome.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Checkpoint, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { createDecider, type PlannedSnapshot } from './decider.ts'
import { createDepartures } from './departures.ts'
import type { DisruptionPace } from './disruptionPace.ts'
import { createMergedLog } from './mergedLog.ts'
import type { Invalid } from './objectStore.ts'
import { createPodEnds } from './podEnds.ts'
import { createRegistrationOutcomes } from './registrationOutcomes.ts'

/** The mutable state of one cluster, built from its log. Records may come twice and in any order: the resulting state is the same. */
export interface ClusterState {
  apply(record: LogRecord): void
  /** The objects of a kind. The list stays the same object until one of its objects changes. */
  list<Kind extends ObjectKind>(kind: Kind): readonly ObjectByKind[Kind][]
  objects(): { readonly [Kind in ObjectKind]: readonly ObjectByKind[Kind][] }
  find<Kind extends ObjectKind>(kind: Kind, key: string): ObjectByKind[Kind] | undefined
  /** Reports whether the pod with this uid waits for a node. */
  isPending(pod: Uid): boolean
  /** Objects that exist and cannot be parsed, with the problem of each. */
  invalid(): readonly Invalid[]
  /**
   * When a pod of the node last ended or was deleted. Undefined if that is not in the log that this process read. Pods of DaemonSets do not count.
   */
  podLeftAt(node: NodeName): EpochMs | undefined
  /** Returns the nodes that pods left since the last call. Pods of DaemonSets count here. */
  takeExits(): readonly NodeName[]
  /** The registration results of the last claims of the pool, oldest first, as far as they are in the log that this process read. */
  registrationOutcomes(pool: NodePoolName): readonly RegistrationOutcome[]
  /** Reports whether the cluster is still loaded from an earlier decision. */
  isLoaded(): boolean
  disruptionPace(now: EpochMs): DisruptionPace
  /** Decides what to do now. The first decision loads the cluster. The cost of a later decision depends on the changes since the last one. */
  decide(context: DecisionContext): Decision
  /** The plan that a decision made now would have, and its snapshot. Valid until the next call. */
  plan(context: DecisionContext): PlannedSnapshot
  /** Which claims a decision made now would disrupt, and why the others stay, even if disruption is not due yet. */
  disrupt(context: DecisionContext): Decision
  /** The full input of a decision made now. */
  snapshot(context: DecisionContext): ClusterSnapshot
  /** Why the shim has to send everything again, or undefined while nothing is missing. */
  missing(now: EpochMs): string | undefined
  /** Reports whether only some parts of a snapshot have come. A checkpoint made now would lose them. */
  isGathering(): boolean
  compact(position: LogPosition): Checkpoint
  /** The number of objects in the state. It includes deleted objects that an older change may still bring back. */
  size(): number
}

export function createClusterState(from?: Checkpoint): ClusterState {
  const pending = createPendingPods()
  const departures = createDepartures()
  const podEnds = createPodEnds((name) => isStaying(store.find('node', name)))
  const registrationOutcomes = createRegistrationOutcomes()
  const { store, ...log } = createMergedLog(from, {
    loaded: (change) => pending.note(undefined, change),
    noted(before, after) {
      pending.note(before, after)
      if (after === undefined) return
      departures.note(before, after)
      podEnds.note(before, after)
      registrationOutcomes.note(before, after)
    },
    forgot: () => departures.keep((node) => store.find('node', node) !== undefined),
  })
  return {
    ...log,
    ...createDecider(store, departures, podEnds),
    list: store.list,
    objects: store.all,
    find: store.find,
    isPending: pending.has,
    invalid: store.invalid,
    podLeftAt: departures.leftAt,
    takeExits: departures.takeExits,
    registrationOutcomes: registrationOutcomes.of,
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

function isStaying(node: Node | undefined): boolean {
  return node !== undefined && node.meta.deletedAt === undefined && !node.taints.some(({ key }) => key === TAINT_KEY.disrupted)
}

function isPending({ nodeName, deletedAt }: Pod): boolean {
  return nodeName === undefined && deletedAt === undefined
}
