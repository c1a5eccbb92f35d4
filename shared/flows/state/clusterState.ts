import { ownValue } from '../../base/values.ts'
import type { Change } from '../../model/change.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import { type ClusterSnapshot, type DecisionContext } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeName, NodePoolName, Uid } from '../../model/ids.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { RegistrationOutcome } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Checkpoint, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { createDecider, type PlannedSnapshot } from './decider.ts'
import type { DisruptionPace } from './disruptionPace.ts'
import { createMergedLog } from './mergedLog.ts'
import type { Invalid } from './objectStore.ts'
import { createDepartures, createPodEnds } from './podEnds.ts'

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

/** The number of results that the health of a pool is judged by. Each claim counts once, with its last result. */
const OUTCOMES_KEPT = 4
/** The reason for a failed registration, by the condition reason of the claim before it is given up. */
const GIVEN_UP: { readonly [reason: string]: string } = {
  LaunchTimeout: 'LaunchTimeout',
  RegistrationTimeout: 'RegistrationFailed',
  InitializationTimeout: 'RegistrationFailed',
}

/** The registration results of the last claims of each pool, as far as they are in the log that this process read. */
export interface RegistrationOutcomes {
  /** Notes that a version of an object replaced another. */
  note(before: Change | undefined, after: Change): void
  /** Returns the results of a pool, oldest first. */
  of(pool: NodePoolName): readonly RegistrationOutcome[]
}

/** A change of a NodePool drops its results, and a change of a NodeClass drops all results: the change may have fixed what failed. */
export function createRegistrationOutcomes(): RegistrationOutcomes {
  const outcomes = new Map<string, readonly RegistrationOutcome[]>()
  return {
    note(before, after) {
      if (after.kind === 'nodePool' && isAnother(before, after)) outcomes.delete(after.key)
      if (after.kind === 'nodeClass' && isAnother(before, after)) outcomes.clear()
      const claim = before === undefined ? undefined : claimOf(before)
      const outcome = claim && outcomeOf(claim, after)
      const pool = claim?.meta.labels[LABEL.nodePool]
      if (outcome === undefined || pool === undefined) return
      const others = (outcomes.get(pool) ?? []).filter(({ uid }) => uid !== outcome.uid)
      outcomes.set(pool, [...others, outcome].slice(-OUTCOMES_KEPT))
    },
    of: (pool) => outcomes.get(pool) ?? [],
  }
}

function outcomeOf(before: NodeClaim, after: Change): RegistrationOutcome | undefined {
  const now = claimOf(after)
  const { uid, createdAt } = before.meta
  const whose = { claim: before.name, uid, createdAt }
  if (before.meta.deletedAt !== undefined) return undefined
  if (now !== undefined && !isRegistered(before) && isRegistered(now)) return { joined: true, ...whose }
  const isEnding = now === undefined || now.meta.deletedAt !== undefined
  const said = (now ?? before).status.conditions.find(({ status, reason }) => status !== 'True' && ownValue(GIVEN_UP, reason) !== undefined)
  return isEnding && said
    ? { joined: false, ...whose, reason: ownValue(GIVEN_UP, said.reason) ?? said.reason, message: said.message }
    : undefined
}

function isRegistered({ status }: NodeClaim): boolean {
  return status.conditions.some((condition) => condition.type === 'Registered' && condition.status === 'True')
}

function claimOf(change: Change): NodeClaim | undefined {
  return change.op === 'put' && change.kind === 'nodeClaim' ? change.object : undefined
}

/** Reports whether the spec changed, or the object is a new one with an old name. */
function isAnother(before: Change | undefined, after: Change): boolean {
  if (after.op !== 'put' || before?.op !== 'put') return true
  const [one, other] = [before.object, after.object]
  if (!('meta' in one) || !('meta' in other)) return false
  return one.meta.uid !== other.meta.uid || one.meta.generation !== other.meta.generation
}
