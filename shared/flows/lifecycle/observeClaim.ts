import { mapBounded } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import { waitingPods } from '../../engine/lifecycle/drain.ts'
import { registrationDeadline } from '../../engine/lifecycle/liveness.ts'
import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { isToBeDetached, isToBeDrained, quietFrom } from '../../engine/lifecycle/termination.ts'
import { refusalsNow } from '../../engine/offering/sizeReports.ts'
import { overlaidTypes } from '../../engine/overlay/overlaidTypes.ts'
import { isWaitingForEviction } from '../../engine/pod/podPredicates.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { isTrue } from '../../model/condition.ts'
import { type NodeClaimName, type NodeName, nodePoolName } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { isNodeOf, type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isOurs, type NodeClass } from '../../model/nodeClass.ts'
import type { Pod } from '../../model/pod.ts'
import { isDrainedForReboot, isFenced } from '../../model/reboot.ts'
import { demotedSizes } from '../../model/sizeReport.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { CALLS_AT_ONCE, type ClusterDeps } from '../deps/clusterDeps.ts'
import { attachedVolumes } from './finishLostNode.ts'

/** How late a run may come that was planned for the first moment at which a drain may be over. */
const FIRST_END = durationMs(2_000)

/**
 * Reads live the objects that the next lifecycle step of a claim needs, and no others. `foreign`: the claim belongs to another provider. Undefined:
 * there is no such claim.
 */
export async function observeClaim(
  deps: ClusterDeps,
  name: NodeClaimName,
  signal: AbortSignalLike,
  otherNodes?: readonly NodeName[],
): Promise<ClaimObservation | 'foreign' | undefined> {
  const claim = await deps.api.getClaim(name, signal)
  if (claim === undefined) return undefined
  if (!isOurs(claim.spec.nodeClassRef)) return 'foreign'
  return observeRest(deps, claim, signal, otherNodes)
}

/** Reads the objects that belong to a known claim. `otherNodes` names nodes that may belong to its machine under other names. */
export async function observeRest(
  deps: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
  otherNodes?: readonly NodeName[],
): Promise<ClaimObservation> {
  const now = deps.clock.now()
  const launches = claim.meta.deletedAt === undefined && !isTrue(claim.status.conditions, 'Launched')
  const [nodeClass, node, others, closed, reports] = await Promise.all([
    launches ? deps.api.getNodeClass(claim.spec.nodeClassRef.name, signal) : undefined,
    deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal),
    mapBounded(otherNodes ?? [], CALLS_AT_ONCE, (name) => deps.api.getNode(name, signal)),
    launches ? deps.offerings.unavailable(now, signal) : [],
    launches ? deps.offerings.reports(now, signal) : [],
  ])
  const ofSameMachine = others.filter((each) => each !== undefined && isNodeOf(claim, each) && each.name !== node?.name)
  const nodes = [node, ...ofSameMachine].filter((each) => each !== undefined)
  const [{ pods, ...held }, instance, instanceTypes] = await Promise.all([
    claim.meta.deletedAt === undefined ? whatHoldsReboot(deps, claim, nodes, signal) : whatHoldsNodes(deps, claim, nodes, now, signal),
    needsInstance(claim, nodes[0]) ? machineOf(deps, claim, signal) : ('unseen' as const),
    nodeClass ? typesFor(deps, claim, nodeClass, signal) : [],
  ])
  const told = defined({ otherNodes, ...held })
  const known = { now, settings: deps.settings, claim, nodes, pods, instance, instanceTypes, ...told }
  if (launches) {
    const unavailable = refusalsNow(closed, nodeClass === undefined ? [] : [nodeClass])
    return { ...known, nodeClass, unavailable, demoted: demotedSizes(reports, now) }
  }
  return { ...known, ...(await avoidedBy(deps, known, signal)) }
}

/** What the avoidance after the loss of a machine depends on: what is avoided already, and the NodeClass. A machine of a claim that ends is not lost. */
async function avoidedBy(
  deps: ClusterDeps,
  { claim, instance, now }: Pick<ClaimObservation, 'claim' | 'instance' | 'now'>,
  signal: AbortSignalLike,
): Promise<Pick<ClaimObservation, 'nodeClass' | 'unavailable'>> {
  const isLost = instance === undefined && claim.meta.deletedAt === undefined
  const isLostSpot = isLost && claim.meta.labels[LABEL.capacityType] === 'spot'
  const isFailed = mayHaveFailed(deps, claim, instance, now)
  const [unavailable, nodeClass] = await Promise.all([
    isLostSpot || isFailed ? deps.offerings.unavailable(now, signal) : [],
    isFailed ? deps.api.getNodeClass(claim.spec.nodeClassRef.name, signal) : undefined,
  ])
  return { nodeClass, unavailable: refusalsNow(unavailable, nodeClass === undefined ? [] : [nodeClass]) }
}

/** Reports whether the machine may never become a node. What is avoided then depends on what is avoided already, and on the NodeClass. */
function mayHaveFailed({ settings }: ClusterDeps, claim: NodeClaim, instance: ClaimObservation['instance'], now: EpochMs): boolean {
  if (claim.meta.deletedAt !== undefined || isTrue(claim.status.conditions, 'Initialized')) return false
  return (typeof instance === 'object' && instance.state.kind === 'failed') || now >= registrationDeadline({ claim, settings })
}

type HoldsNodes = Pick<ClaimObservation, 'pods' | 'volumeAttachments' | 'restartProblem'>
const NOTHING_HOLDS: HoldsNodes = { pods: [] }

/**
 * The pods of a node that is drained for its reboot. They are evicted only, and those that are left stay: so the cache of the API server is enough.
 * Whether the machine can be restarted is asked before the first of them leaves.
 */
async function whatHoldsReboot(
  { api, cloud }: ClusterDeps,
  claim: NodeClaim,
  nodes: readonly Node[],
  signal: AbortSignalLike,
): Promise<HoldsNodes> {
  if (!isDrainedForReboot(claim)) return NOTHING_HOLDS
  const [pods, restartProblem] = await Promise.all([
    mapBounded(nodes, CALLS_AT_ONCE, ({ name }) => api.listPodsOn(name, signal, 'recent')),
    nodes.some(isFenced) ? undefined : cloud.restartProblem(signal),
  ])
  return defined({ pods: pods.flat(), restartProblem })
}

/** The pods that must leave the nodes. Once none is left, also the volumes that must be detached before the machine ends. */
async function whatHoldsNodes(
  deps: ClusterDeps,
  claim: NodeClaim,
  nodes: readonly Node[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<HoldsNodes> {
  if (!isDraining(claim, nodes)) {
    return isToBeDetached({ claim, nodes })
      ? { pods: [], volumeAttachments: await attachedVolumes(deps, nodes, now, signal) }
      : { pods: [] }
  }
  const pods = (await mapBounded(nodes, CALLS_AT_ONCE, (each) => podsToMove(deps, claim, each, now, signal))).flat()
  const isOver = now >= quietFrom({ claim, now }) && waitingPods({ pods, now }).length === 0
  return isOver ? { pods, volumeAttachments: await attachedVolumes(deps, nodes, now, signal) } : { pods }
}

/** The instance types for a launch, with the NodeOverlays of users, which may change prices and resources. */
async function typesFor(
  deps: ClusterDeps,
  claim: NodeClaim,
  nodeClass: NodeClass,
  signal: AbortSignalLike,
): Promise<readonly InstanceType[]> {
  const [types, overlays] = await Promise.all([deps.catalog.instanceTypes(nodeClass, signal), deps.api.listNodeOverlays(signal)])
  const name = claim.meta.labels[LABEL.nodePool]
  if (overlays.length === 0 || name === undefined) return types
  const pool = await deps.api.getNodePool(nodePoolName(name), signal)
  if (pool === undefined) return types
  const objects = { nodePool: [pool], nodeOverlay: overlays }
  return overlaidTypes({ objects, instanceTypes: new Map([[nodeClass.name, types]]) })(name, nodeClass.name)
}

/**
 * The pods on a node that is drained. They are read from the cache of the API server, which is cheap and may be moments old. That is enough for
 * evictions, because an eviction names the uid of its pod and the server checks its budgets. If no pod is left, the pods are read again without the
 * cache, because the machine is deleted next. A run at the first moment at which the drain may be over does not use the cache at all.
 */
async function podsToMove(deps: ClusterDeps, claim: NodeClaim, node: Node, now: EpochMs, signal: AbortSignalLike): Promise<readonly Pod[]> {
  const quietAt = quietFrom({ claim, now })
  if (now >= quietAt && now < later(quietAt, FIRST_END)) return deps.api.listPodsOn(node.name, signal)
  const recent = await deps.api.listPodsOn(node.name, signal, 'recent')
  const isOver = now >= quietAt && !recent.some((pod) => isWaitingForEviction(pod, now))
  return isOver ? deps.api.listPodsOn(node.name, signal) : recent
}

function isDraining(claim: NodeClaim, nodes: readonly Node[]): boolean {
  return nodes.length > 0 && claim.meta.deletedAt !== undefined && isToBeDrained(claim, nodes)
}

/** A machine that stays is looked at together with others. The end of a claim must not go by an older state. */
function machineOf({ cloud }: ClusterDeps, { name, meta }: NodeClaim, signal: AbortSignalLike): Promise<Instance | undefined> {
  return meta.deletedAt === undefined ? cloud.get(name, signal, 'recent') : cloud.get(name, signal)
}

/** Reports whether Azure must be asked for the machine: while it is created or deleted, and while its node is not ready. */
function needsInstance(claim: NodeClaim, node: Node | undefined): boolean {
  const isWell = node !== undefined && isReady(node)
  if (claim.meta.deletedAt !== undefined) {
    const nodes = node ? [node] : []
    return !isWell || !(isDraining(claim, nodes) || isToBeDetached({ claim, nodes }))
  }
  if (!isTrue(claim.status.conditions, 'Launched') || isWell) return false
  return node === undefined || isTrue(claim.status.conditions, 'Registered')
}

/**
 * The observation of a claim that this process has just deleted, made of what it read live for the deletion. Only for the first step of a drain,
 * which asks Azure nothing. Undefined if the step needs more.
 */
export function observeFresh({ clock, settings, freshEnds }: ClusterDeps, name: NodeClaimName): ClaimObservation | undefined {
  const fresh = freshEnds?.take(name, clock.now())
  if (fresh === undefined) return undefined
  const { claim, node, pods } = fresh
  if (!isOurs(claim.spec.nodeClassRef) || !isNodeOf(claim, node)) return undefined
  if (claim.meta.deletedAt === undefined || !isReady(node) || !isToBeDrained(claim, [node])) return undefined
  const nothing = { nodeClass: undefined, instance: 'unseen', instanceTypes: [], unavailable: [] } as const
  return { now: clock.now(), settings, claim, nodes: [node], pods, ...nothing }
}

/** What this process knows of the nodes of the claim. */
type KnownNodes = { readonly node: Node | undefined; readonly otherNodes: readonly NodeName[] | undefined }

/**
 * The observation of a claim whose machine was deleted and is gone, with claim and node as this process last saw them. Only finalizers are left, and
 * each is removed by a write that keeps what others wrote. Undefined if the machine still exists. Then the claim must be read, because a machine is
 * deleted by its name alone.
 */
export async function observeEnded(
  deps: ClusterDeps,
  claim: NodeClaim,
  { node, otherNodes }: KnownNodes,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  if (node !== undefined && otherNodes === undefined) {
    if ((await deps.cloud.get(claim.name, signal)) !== undefined) return undefined
    const nodes = [{ ...node, meta: { ...node.meta, resourceVersion: '' } }]
    const nothing = { nodeClass: undefined, pods: [], instance: undefined, instanceTypes: [], unavailable: [] } as const
    return { now: deps.clock.now(), settings: deps.settings, claim, nodes, ...nothing }
  }
  const observation = await observeRest(deps, claim, signal, otherNodes)
  return observation.instance === undefined ? observation : undefined
}
