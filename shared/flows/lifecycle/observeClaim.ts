import { mapBounded } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { isToBeDetached } from '../../engine/lifecycle/attachments.ts'
import { waitingPods } from '../../engine/lifecycle/drain.ts'
import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { isToBeDrained, quietFrom } from '../../engine/lifecycle/termination.ts'
import { overlaidTypes } from '../../engine/overlay/overlaidTypes.ts'
import { isWaitingForEviction } from '../../engine/pod/podPredicates.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { isTrue } from '../../model/condition.ts'
import { type NodeClaimName, type NodeName, nodePoolName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isOurs, type NodeClass } from '../../model/nodeClass.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { CALLS_AT_ONCE } from '../deps/doEach.ts'
import { attachedVolumes } from './attachedVolumes.ts'

/** A look that is meant for the first moment at which a drain may be over comes so late at most. */
const FIRST_END = durationMs(2_000)

/**
 * Reads live what one lifecycle step may look at, and no more: what a claim of this age cannot need is not asked for. `foreign`: the claim is
 * of another provider, which looks after it. Undefined: there is none.
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

/** Reads what belongs to a claim that is known. `otherNodes` may be nodes of its machine under other names. */
export async function observeRest(
  deps: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
  otherNodes?: readonly NodeName[],
): Promise<ClaimObservation> {
  const now = deps.clock.now()
  const launches = claim.meta.deletedAt === undefined && !isTrue(claim.status.conditions, 'Launched')
  const [nodeClass, node, others, unavailable] = await Promise.all([
    launches ? deps.api.getNodeClass(claim.spec.nodeClassRef.name, signal) : undefined,
    deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal),
    mapBounded(otherNodes ?? [], CALLS_AT_ONCE, (name) => deps.api.getNode(name, signal)),
    launches ? deps.offerings.unavailable(now, signal) : [],
  ])
  const { providerId } = claim.status
  const ofSameMachine = others.filter((each) => each !== undefined && each.providerId === providerId && each.name !== node?.name)
  const nodes = [node, ...ofSameMachine].filter((each) => each !== undefined)
  const [{ pods, volumeAttachments }, instance, instanceTypes] = await Promise.all([
    claim.meta.deletedAt === undefined ? NOTHING_HOLDS : whatHoldsNodes(deps, claim, nodes, now, signal),
    needsInstance(claim, nodes[0]) ? deps.cloud.get(claim.name, signal) : ('unseen' as const),
    nodeClass ? typesFor(deps, claim, nodeClass, signal) : [],
  ])
  const told = defined({ otherNodes, volumeAttachments })
  return { now, settings: deps.settings, claim, nodes, nodeClass, pods, instance, instanceTypes, unavailable, ...told }
}

type HoldsNodes = Pick<ClaimObservation, 'pods' | 'volumeAttachments'>
const NOTHING_HOLDS: HoldsNodes = { pods: [] }

/** Pods of a drain, and once none is left, or was before, the volumes that the machine's end waits for. */
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

/** A machine is chosen by what users know of prices and devices; one that is made is what it is. */
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
 * A drain evicts by what the API server has in memory, which costs it little and may be moments old: an eviction names the pod's uid, and
 * the server minds its budgets. That nobody is left is read anew, since the machine ends on it: at once where a look comes when the drain may be over
 * for the first time.
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

/** Azure is asked while a machine is being made or ended, and when its node is not well. One whose node has joined is there. */
function needsInstance(claim: NodeClaim, node: Node | undefined): boolean {
  const isWell = node !== undefined && isReady(node)
  if (claim.meta.deletedAt !== undefined) {
    const nodes = node ? [node] : []
    return !isWell || !(isDraining(claim, nodes) || isToBeDetached({ claim, nodes }))
  }
  if (!isTrue(claim.status.conditions, 'Launched') || isWell) return false
  return node === undefined || isTrue(claim.status.conditions, 'Registered')
}
