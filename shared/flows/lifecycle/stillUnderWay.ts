import { drainPods, nextDue, waitingPods } from '../../engine/lifecycle/drain.ts'
import { beginDrain } from '../../engine/lifecycle/drainMessage.ts'
import { registrationDeadline } from '../../engine/lifecycle/liveness.ts'
import { awaitNode, NODE_NOT_FOUND } from '../../engine/lifecycle/registration.ts'
import { LEAVING_POLL, quietFrom } from '../../engine/lifecycle/termination.ts'
import { canRunPods } from '../../engine/lifecycle/worthALook.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { LOOKS_OF_A_CHAIN } from './chainPace.ts'
import { machineStillEnds } from './machineStillEnds.ts'
import { isDraining, isMachineEnding, isOnItsWayIn } from './seenClaims.ts'

/** What a claim waits for still goes on, as one question told. */
export type StillUnderWay = { readonly claim: NodeClaim; readonly step: ClaimStep }

/** Of so many looks of a chain one asks everything all the same: the node may be lost, or the deadline another. */
const ASK_ALL_EVERY = 4

/**
 * Asks the one question that a claim, as this process last saw it, waits for an answer to, in place of everything. Undefined: there is something to do,
 * or nobody knows, so the claim is looked at as any other. Only looks of a chain ask so little: whoever looks for another reason knows of something new.
 */
export async function stillUnderWay(
  deps: ClusterDeps,
  message: ClaimMessage,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<StillUnderWay | undefined> {
  if (isMachineEnding(claim)) return machineStillEnds(deps, claim, signal)
  if (!asksLittle(message)) return undefined
  if (isDraining(claim)) return podsStillStay(deps, claim, signal)
  if (!isOnItsWayIn(claim)) return undefined
  return isTrue(claim.status.conditions, 'Registered') ? nodeStillStarts(deps, claim, signal) : machineStillStarts(deps, claim, signal)
}

/** The resync's looks are the last of a chain, and find what was lost. */
function asksLittle({ follow, attempt, known }: ClaimMessage): boolean {
  const isOfChain = follow && attempt > 0 && attempt < LOOKS_OF_A_CHAIN
  return isOfChain && attempt % ASK_ALL_EVERY !== 0 && known?.otherNodes === undefined
}

/** A machine that Azure starts, and whose node nobody has seen: the watch tells when it joins. */
async function machineStillStarts(deps: ClusterDeps, claim: NodeClaim, signal: AbortSignalLike): Promise<StillUnderWay | undefined> {
  const { cloud, clock, picture, settings } = deps
  const joins =
    isTrue(claim.status.conditions, 'Launched') && findCondition(claim.status.conditions, 'Registered')?.reason === NODE_NOT_FOUND
  const now = clock.now()
  if (!joins || now >= registrationDeadline({ claim, settings })) return undefined
  const state = await picture?.(signal)
  if (state === undefined || nodeOf(claim, state.objects()) !== undefined) return undefined
  const instance = await cloud.get(claim.name, signal)
  if (instance?.state.kind !== 'creating' && instance?.state.kind !== 'running') return undefined
  return { claim, step: awaitNode({ claim, settings, now }, []) }
}

/** A node that is registered and cannot run pods yet. The watch tells when it can, and the resync sees whether that takes too long: the chain is over. */
async function nodeStillStarts({ picture }: ClusterDeps, claim: NodeClaim, signal: AbortSignalLike): Promise<StillUnderWay | undefined> {
  const state = await picture?.(signal)
  const node = state && nodeOf(claim, state.objects())
  return node === undefined || canRunPods(node) ? undefined : { claim, step: { actions: [], reasons: [] } }
}

function nodeOf({ status }: NodeClaim, { node: nodes }: { readonly node: readonly Node[] }): Node | undefined {
  return nodes.find(({ providerId }) => providerId === status.providerId)
}

/** Pods that were all asked to leave, or are held as the claim says: none of them is overdue, none may be asked, and none came. */
async function podsStillStay(
  { api, clock, settings }: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<StillUnderWay | undefined> {
  const { nodeName } = claim.status
  const now = clock.now()
  if (nodeName === undefined || now < quietFrom({ claim, now })) return undefined
  const pods = await api.listPodsOn(nodeName, signal, 'recent')
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
