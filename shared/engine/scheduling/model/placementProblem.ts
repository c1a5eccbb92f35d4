/** Everything that a plan starts from: the cluster and the pods, in the terms of planning. */
import { byKey } from '../../../base/lists.ts'
import { cutText } from '../../../base/text.ts'
import { isLeftOut, type RefusedPlace } from '../../../model/claimRefusal.ts'
import type { DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { BufferShare } from '../../../model/decision.ts'
import { instanceNamesOf, type NodeClaimName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { formatTimestamp } from '../../../model/time.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import type { TypesOf } from '../../overlay/overlaidTypes.ts'
import { claimRefusals, type ForeseenRefusal } from './catalog/catalog.ts'
import { addDomainsOfPools } from './catalog/universe.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { FreeCapacity } from './cluster/freeCapacity.ts'
import type { PoolsNow } from './cluster/poolCache.ts'
import {
  daemonAntiAffinity,
  daemonRules,
  labelsAskedBy,
  type NewDaemons,
  newDaemons,
  seedDaemons,
  wideDaemons,
} from './neighbours/comingDaemons.ts'
import { seedCounts } from './neighbours/seed.ts'
import { couldMeetAmong } from './nodes/existingNode.ts'
import { type Admission, admit, type Candidate, type Refusal, type RefusedPods } from './pods/admission.ts'
import { type BufferPods, bufferPods } from './pods/buffers.ts'
import type { PodClass, QueueEntry } from './pods/constraint.ts'
import { labelledOf, podClasses, withDefaultSpread } from './pods/podClasses.ts'
import { type PodReplicas, replicasOf } from './pods/podReplicas.ts'
import { fromCursor, movingOnceLetGo, movingPods, schedulingInputs, type VolumeObjects } from './pods/podsToPlace.ts'
import { equivalenceClasses, type Queue, type Run } from './pods/queue.ts'
import { sharedClaims } from './pods/volumes.ts'
import { type Axes, axesOf } from './quantities/amounts.ts'
import type { Work } from './quantities/work.ts'
import type { AskedLabels } from './topology/bySelector.ts'
import { inverseAntiAffinityTexts } from './topology/inverseAntiAffinity.ts'
import { createTopologyGroups, type TopologyGroup, type TopologyGroups } from './topology/topologyGroup.ts'

export type PlacementMode = NonNullable<DecisionContext['settings']['placement']>

export type PlacementProblem = {
  readonly cluster: Cluster
  readonly context: DecisionContext
  /** How places are looked for. It is the mode of the context unless another mode is tried as well. */
  readonly placement: PlacementMode
  readonly typesOf: TypesOf
  readonly axes: Axes
  readonly pools: PoolsNow
  readonly room: FreeCapacity
  readonly groups: TopologyGroups
  readonly newDaemons: NewDaemons | undefined
  readonly classes: readonly PodClass[]
  /** Pods in the order in which Karpenter would take them. */
  readonly queue: readonly QueueEntry[]
  readonly refused: readonly RefusedPods[]
  /** Reports whether a claim, a draft or a node has the name. */
  readonly isTaken: (name: NodeClaimName) => boolean
}

/** `countsPossible`: spreads also reckon with machines that may or may not pass their node filter. `foreseen`: claims that are not made. */
type Way = {
  readonly placement: PlacementMode
  readonly countsPossible?: boolean | undefined
  readonly foreseen?: readonly ForeseenRefusal[]
}

export function problemOf(cluster: Cluster, context: DecisionContext, batch: Batch, work: Work, way: Way): PlacementProblem {
  const admitted = admission(cluster, context)
  const [real, ofBuffers] = [admitted(batch.real), admitted(batch.ofBuffers)]
  const buffersBySize = context.settings.placement === 'firstFit'
  const asked: Asked = {
    candidates: [...real.candidates, ...ofBuffers.candidates],
    deleting: batch.deleting,
    moving: batch.moving,
    queueOf: (shared, standing) =>
      equivalenceClasses({ real: real.candidates, ofBuffers: ofBuffers.candidates, standing, shared, buffersBySize, work }),
  }
  const problem = problemAbout(cluster, context, asked, work, way)
  const movable = buffersBySize ? batch.count : real.candidates.reduce((sum, { count }) => sum + count, 0)
  const queue = fromCursor(problem.queue, context.provisioningCursor, movable)
  return { ...problem, queue, refused: [...real.refused, ...ofBuffers.refused] }
}

/** Splits pods into pods that can be planned and pods that no machine could help. */
export function admission(
  { objects, volumes, onceClaims }: Cluster,
  context: DecisionContext,
): (replicas: readonly PodReplicas[]) => Admission {
  return (replicas) => {
    const { planned, refused } = setRefusedAside(replicas, objects, context)
    const admitted = admit(withDefaultSpread(planned, objects, context.settings), volumes(), onceClaims())
    return refused.length === 0 ? admitted : { ...admitted, refused: [...refused, ...admitted.refused] }
  }
}

/** The pods that ask for places, and the machines and pods that leave. */
export type Asked = {
  readonly candidates: readonly Candidate[]
  /** Machines that are being deleted, and the pods that have to leave them. */
  readonly deleting: readonly StateNode[]
  readonly moving: readonly Pod[]
  /** Queues the candidates. Which pods are told apart depends on the shared volume claims and on the labels that anti-affinity terms select by. */
  readonly queueOf: (shared: ReadonlySet<string>, standing: readonly AskedLabels[]) => Queue
}

/** The problem of pods that are admitted already and have their order. */
export function problemAbout(
  cluster: Cluster,
  context: DecisionContext,
  { candidates, deleting, moving, queueOf }: Asked,
  work: Work,
  { placement, countsPossible = false, foreseen }: Way,
): Omit<PlacementProblem, 'refused'> {
  const { objects, machines } = cluster
  const { running } = cluster.pods
  const settled = cluster.settle(context)
  const drivers = driversOf(candidates)
  const shared = drivers.size === 0 ? NO_CLAIMS : sharedClaims(candidates, moving, running.mountsOf)
  const groups = createTopologyGroups(objects.namespace, countsPossible)
  const { alike, runs } = queueOf(shared, [running.inverseAntiAffinity().asked(), labelsAskedBy(settled.daemons)])
  const repelling = running.inverseAntiAffinity().of(alike.map(labelledOf), moving.flatMap(inverseAntiAffinityTexts), work)
  const standing = repelling.map((inverse) => ({ group: groups.ofTerm('antiAffinity', inverse.term, inverse.pod), inverse }))
  const ofDaemons = daemonRules(settled.daemons, groups)
  const asks = alike.map(({ first }) => first.pod.requests)
  const axes = axesOf(asks, drivers)
  const pools = cluster.poolsOn(context, settled, axes)
  const room = cluster.roomOn(axes)
  const classes = podClasses(alike, {
    shared,
    axes,
    groups,
    relaxation: {
      preferencePolicy: context.settings.preferencePolicy,
      hasSoftTaints: cluster.hasSoftTaints(),
      oneTermAtATime: placement !== 'price',
      couldMeet: couldMeetAmong(pools.templates, room.existingNodes),
    },
    constraints: cluster.constraints,
    apartFrom: daemonAntiAffinity(settled.daemons, objects.namespace),
    refusalsOf: claimRefusals(context, objects.nodePool, foreseen),
    work,
  })
  addDomainsOfPools(groups.all, pools.sources)
  // Waiting pods run nowhere. Only moving pods could be counted where they run.
  const placing = new Set(moving.map(({ uid }) => uid))
  seedCounts({ groups, running, machines, standing, deleting, placing, work })
  const wide = wideDaemons(demanded(classes), settled.daemons, ofDaemons)
  seedDaemons(wide, room.existingNodes)
  return {
    cluster,
    context,
    placement,
    typesOf: settled.typesOf,
    axes,
    pools,
    room,
    groups,
    newDaemons: newDaemons(wide, groups),
    classes,
    queue: entriesOf(classes, runs),
    isTaken: takenIn(cluster, context),
  }
}

/** The anti-affinity groups that some pod requires. */
function demanded(classes: readonly PodClass[]): readonly TopologyGroup[] {
  return [...new Set(classes.flatMap(({ relaxedPods }) => relaxedPods.flatMap(({ owned }) => owned)))]
}

function takenIn({ index }: Cluster, { drafts, settings }: DecisionContext): PlacementProblem['isTaken'] {
  const drafted = new Set(drafts.map(({ name }) => name))
  return (name) =>
    drafted.has(name) || index.claims.has(name) || instanceNamesOf(name, settings.machineNames).some((each) => index.nodes.has(each))
}

const NO_CLAIMS: ReadonlySet<string> = new Set()

function entriesOf(classes: readonly PodClass[], runs: readonly Run[]): readonly QueueEntry[] {
  return runs.flatMap(({ at, count }) => {
    const podClass = classes[at]
    return podClass === undefined ? [] : [{ podClass, count }]
  })
}

function driversOf(candidates: readonly Candidate[]): ReadonlySet<string> {
  const drivers = new Set<string>()
  for (const { volumes } of candidates) for (const driver of volumes.attached.keys()) drivers.add(driver)
  return drivers
}

/** The pods and machines that one decision plans for. */
export type Batch = {
  /** Pods that wait for a place and pods that have to move. */
  readonly real: readonly PodReplicas[]
  /** Pods of CapacityBuffers. They are planned after the real pods, in this order. */
  readonly ofBuffers: readonly BufferPods[]
  /** The number of pods in `real` and `ofBuffers` together. */
  readonly count: number
  /** Machines that are being deleted. */
  readonly deleting: readonly StateNode[]
  /** Pods that have to leave the deleting machines. */
  readonly moving: readonly Pod[]
  /** False for pods of buffers. The plan keeps room for them, and reports nothing about them. */
  readonly isReal: (pod: Pick<Pod, 'uid'>) => boolean
  /** The buffers that these pods stand for, with the number of their pods among these. */
  readonly buffersOf: (pods: readonly Pick<Pod, 'uid'>[]) => readonly BufferShare[]
}

/** `letGo`: a pod of a deleting machine that counts as one that nothing holds. */
export function batchOf({ objects, machines, pods }: Cluster, { takenAt }: DecisionContext, work: Work, letGo?: Pod): Batch {
  const deleting = machines.deleting()
  const budgets = objects.podDisruptionBudget
  const moving = letGo === undefined ? movingPods(deleting, takenAt, budgets) : movingOnceLetGo(letGo, deleting, takenAt, budgets)
  const real = [...pods.waiting(), ...replicasOf(moving, work)]
  const ofBuffers = bufferPods(objects, takenAt)
  const uids = new Map(ofBuffers.flatMap((each) => each.pods().map(({ uid }) => [uid, each] as const)))
  const count = [...real, ...ofBuffers].reduce((sum, each) => sum + each.count, 0)
  return {
    real,
    ofBuffers,
    count,
    deleting,
    moving,
    isReal: ({ uid }) => uids.size === 0 || !uids.has(uid),
    buffersOf: (pods) => {
      if (uids.size === 0) return []
      const shares = Map.groupBy(pods, ({ uid }) => uids.get(uid))
      return [...shares]
        .flatMap(([own, kept]) => (own === undefined ? [] : [{ buffer: own.buffer, pods: kept.length, of: own.count }]))
        .sort(byKey(({ buffer }) => buffer))
    },
  }
}

/** The most bytes of the scheduler's text that a message repeats. An Event has room for 1,024 bytes in all. */
const MOST_REPEATED = 480

export type SetAside = { readonly planned: readonly PodReplicas[]; readonly refused: readonly RefusedPods[] }

/** Takes out the pods that kube-scheduler has refused. A pod whose inputs have changed since then is planned. */
function setRefusedAside(
  replicas: readonly PodReplicas[],
  objects: VolumeObjects,
  { schedulerRefusals = [], takenAt }: DecisionContext,
): SetAside {
  const leftOut = new Map(schedulerRefusals.filter((each) => isLeftOut(each, takenAt)).map((each) => [each.pod.uid, each]))
  if (leftOut.size === 0) return { planned: replicas, refused: [] }
  const { hashOf } = schedulingInputs(objects)
  const refused: RefusedPods[] = []
  const planned = replicas.flatMap((each): readonly PodReplicas[] => {
    if (each.pod.nodeName !== undefined) return [each]
    const free: Pod[] = []
    for (const pod of each.pods()) {
      const known = leftOut.get(pod.uid)
      if (known?.refused !== undefined && known.inputs === hashOf(pod)) refused.push({ pods: [pod], why: refusalText(known.refused) })
      else free.push(pod)
    }
    const [first] = free
    if (first === undefined) return []
    return free.length === each.count ? [each] : [{ pod: first, count: free.length, pods: () => free }]
  })
  return { planned, refused }
}

function refusalText({ node, until, message }: RefusedPlace): Refusal {
  const said = message === undefined ? '' : `: "${cutText(message, MOST_REPEATED)}"`
  return {
    code: 'POD.REFUSED_BY_SCHEDULER',
    message: `kube-scheduler does not bind the pod to node ${node}, which takes it by all rules that Joiner knows${said}; no node is made for the pod before ${formatTimestamp(until)}; to do: remove what the scheduler names; the pod is planned again at once if its spec or its volumes change`,
    // The text of the scheduler is read for the next decision, which reports the refusal.
    ...(message === undefined ? { silent: true as const } : {}),
  }
}
