import { drainPods, nextDue, waitingPods } from '../../engine/lifecycle/drain.ts'
import { beginDrain } from '../../engine/lifecycle/drainMessage.ts'
import { registrationDeadline } from '../../engine/lifecycle/liveness.ts'
import { canRunPods } from '../../engine/lifecycle/needsReconcile.ts'
import { awaitNode, NODE_NOT_FOUND, untouchedUntil } from '../../engine/lifecycle/registration.ts'
import { LEAVING_POLL, quietFrom } from '../../engine/lifecycle/termination.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, isNodeOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { later } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { machineStillEnds } from './machineStillEnds.ts'
import { isDraining, isInitializing, isMachineEnding } from './seenClaims.ts'

/** The step of a claim whose wait is not over, as one call showed. */
export type StillUnderWay = { readonly claim: NodeClaim; readonly step: ClaimStep }

/** One of this many requeues in a row reads everything, because the node may be lost or the deadline may have changed. */
const ASK_ALL_EVERY = 4

/**
 * Makes only the call that shows whether a claim, as this process last saw it, still waits. Undefined if there is something to do, or if the call
 * cannot tell: then everything is read. Only requeues do so, because every other run has news as its reason.
 */
export async function stillUnderWay(
  deps: ClusterDeps,
  request: ClaimRequest,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<StillUnderWay | undefined> {
  if (isMachineEnding(claim)) return machineStillEnds(deps, claim, signal)
  if (!asksLittle(request)) return undefined
  if (isDraining(claim)) return podsStillStay(deps, claim, signal)
  if (!isInitializing(claim)) return undefined
  return isTrue(claim.status.conditions, 'Registered') ? nodeStillStarts(deps, claim, signal) : machineStillStarts(deps, claim, signal)
}

/** Reports whether a run may make only one call. */
function asksLittle({ because, isFollowed, attempt, known }: ClaimRequest): boolean {
  return because === 'requeue' && isFollowed && attempt % ASK_ALL_EVERY !== 0 && known?.otherNodes === undefined
}

/**
 * The step of a claim whose machine starts and whose node has not joined, or has joined a moment ago and cannot run pods yet. The watch reports when
 * the node joins and when it can run pods.
 */
async function machineStillStarts(deps: ClusterDeps, claim: NodeClaim, signal: AbortSignalLike): Promise<StillUnderWay | undefined> {
  const { cloud, clock, readClusterState, settings } = deps
  const joins =
    isTrue(claim.status.conditions, 'Launched') && findCondition(claim.status.conditions, 'Registered')?.reason === NODE_NOT_FOUND
  const now = clock.now()
  if (!joins || now >= registrationDeadline({ claim, settings })) return undefined
  const state = await readClusterState?.(signal)
  if (state === undefined) return undefined
  const node = nodeOf(claim, state.objects())
  if (node === undefined)
    return (await machineStarts(cloud, claim, signal)) ? { claim, step: awaitNode({ claim, settings, now }, []) } : undefined
  const untouched = untouchedUntil({ claim, settings, now }, node)
  return untouched === undefined ? undefined : { claim, step: { actions: [], reasons: [], wakeAt: untouched } }
}

async function machineStarts(cloud: ClusterDeps['cloud'], claim: NodeClaim, signal: AbortSignalLike): Promise<boolean> {
  const instance = await cloud.get(claim.name, signal, 'recent')
  return instance?.state.kind === 'creating' || instance?.state.kind === 'running'
}

/**
 * The step of a claim whose node is registered and cannot run pods yet. It asks for no further run: the watch reports when the
 * node can run pods, and the resync finds it if that takes too long.
 */
async function nodeStillStarts(
  { readClusterState }: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<StillUnderWay | undefined> {
  const state = await readClusterState?.(signal)
  const node = state && nodeOf(claim, state.objects())
  return node === undefined || canRunPods(node) ? undefined : { claim, step: { actions: [], reasons: [] } }
}

function nodeOf(claim: NodeClaim, { node: nodes }: { readonly node: readonly Node[] }): Node | undefined {
  return nodes.find((node) => isNodeOf(claim, node))
}

/** The step of a claim whose pods are all terminating, or are held as its condition says. No pod is overdue, may be evicted or is new. */
async function podsStillStay(
  { api, clock, settings, readClusterState }: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<StillUnderWay | undefined> {
  const { nodeName } = claim.status
  const now = clock.now()
  if (nodeName === undefined || now < quietFrom({ claim, now })) return undefined
  const state = await readClusterState?.(signal)
  // The watch shows pods that wait. Before the machine ends, and once in a few runs, they are read live.
  const pods = state?.objects().pod.filter((pod) => pod.nodeName === nodeName) ?? (await api.listPodsOn(nodeName, signal, 'recent'))
  const waiting = waitingPods({ pods, now })
  const deadline = deadlineOf(claim)
  const isLeaving = waiting.length > 0 && waiting.every(({ deletedAt }) => deletedAt !== undefined)
  const observation = { claim, now, settings, instance: 'unseen', nodeClass: undefined } as const
  const isToldOf = waiting.length > 0 && beginDrain(observation, waiting).length === 0
  if (!(isLeaving || isToldOf) || drainPods({ now }, waiting, deadline).length > 0) return undefined
  const dueAt = nextDue({ now }, waiting, deadline)
  const step = { actions: [], reasons: [], wakeAt: later(now, LEAVING_POLL) }
  return { claim, step: dueAt === undefined ? step : { ...step, dueAt } }
}
