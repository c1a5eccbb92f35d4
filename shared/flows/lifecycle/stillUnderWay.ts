import { defined } from '../../base/values.ts'
import { beginDrain, drainPods, nextDue, waitingPods } from '../../engine/lifecycle/drain.ts'
import { registrationDeadline } from '../../engine/lifecycle/liveness.ts'
import { awaitNode, canRunPods, NODE_NOT_FOUND, untouchedUntil } from '../../engine/lifecycle/registration.ts'
import { LEAVING_POLL, quietFrom } from '../../engine/lifecycle/termination.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, isNodeOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { isRebooting } from '../../model/reboot.ts'
import { formatTimestamp } from '../../model/time.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { traceOfRequest } from '../queue/claimRequests.ts'
import { isDraining, isInitializing, isMachineEnding } from './observeKnown.ts'

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
  if (!asksLittle(request) || isRebooting(claim)) return undefined
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

const POLL = durationMs(2_000)

/**
 * The step of a claim whose machine Azure is still deleting. Until the machine is gone there is nothing to do, whatever happens to claim and node. So
 * only Azure is asked, and `claim` is the claim as this process last saw it. Undefined if the machine is not being deleted: the claim must be read.
 */
async function machineStillEnds(
  { cloud, clock }: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<{ readonly claim: NodeClaim; readonly step: ClaimStep } | undefined> {
  const instance = await cloud.get(claim.name, signal)
  if (instance?.state.kind !== 'deleting') return undefined
  return { claim, step: { actions: [], reasons: [], wakeAt: later(clock.now(), POLL) } }
}

/** `settled`: nothing to wait for. `requeued`: the key is added again. `left`: the resync or another process runs the claim next. */
export type ClaimOutcome = 'settled' | 'requeued' | 'left' | 'gone'

/** One run of a claim and its result. */
export type ReconcileResult = {
  readonly request: ClaimRequest
  /** Undefined: the claim was not read. */
  readonly claim: NodeClaim | undefined
  readonly step: ClaimStep
  /** True if the run did something. */
  readonly changed: boolean
}

/**
 * Adds the key for the next run, if this process follows the claim. The objects that this run knew are not kept, since they are old by then. Only
 * names of other nodes are kept, and these nodes are read before anything is done.
 */
export function followUp({ queue, clock }: ClusterDeps, ran: ReconcileResult): ClaimOutcome {
  const { claim, step, changed, request } = ran
  if (step.wakeAt === undefined) return 'settled'
  if (!isFollowed(ran)) return 'left'
  const now = epochMs(clock.now())
  const attempt = changed ? 0 : request.attempt
  const next = nextRequeueOf(step, { attempt, pace: isDeleting(claim) || (claim && isRebooting(claim)) ? 'deleting' : 'coming' }, now)
  if (next === undefined) return 'left'
  // News costs no patience: only requeues that find nothing make the pauses longer.
  const isPatient = !changed && request.because === 'news'
  queue.reconcile(requeueOf(ran, next.follow, isPatient ? attempt : attempt + 1), next.at - now)
  return 'requeued'
}

function requeueOf({ claim, request }: ReconcileResult, isFollowed: boolean, attempt: number): ClaimRequest {
  const isComing = claim !== undefined && isInitializing(claim) ? true : undefined
  const known = defined({ isComing, otherNodes: request.known?.otherNodes })
  const trace = (claim && traceOfRequest(claim).trace) ?? request.trace
  const more = Object.keys(known).length === 0 ? {} : { known }
  return { claim: request.claim, because: 'requeue', isFollowed, attempt, ...defined({ trace }), ...more }
}

/**
 * Reports whether another run must follow. News about a claim that is not initialized does not make a process follow it: the process that launches
 * the claim follows it, the watch reports changes of its node, and the resync finds what was lost.
 */
function isFollowed({ request, claim, changed }: ReconcileResult): boolean {
  if (request.isFollowed) return true
  return changed && (request.known?.isComing !== true || isDeleting(claim))
}

function isDeleting(claim: NodeClaim | undefined): boolean {
  return claim?.meta.deletedAt !== undefined
}

/** Tries to write the claim. Each try loses against another writer. More losses mean that something is wrong, and the caller starts again. */
const MOST_ROUNDS = 8

/**
 * Writes the deadline of the drain to the claim. Returns whether it wrote. An earlier deadline stays, since it was set for a reason. If another
 * writer changes the claim meanwhile, the claim is read again. A claim that is gone needs no deadline. Throws a Fault if every write loses.
 */
export async function setDeadline(
  { api }: Pick<ClusterDeps, 'api'>,
  first: NodeClaim,
  deadline: EpochMs,
  signal: AbortSignalLike,
  mostRounds = MOST_ROUNDS,
): Promise<boolean> {
  const annotations = { [ANNOTATION.terminationTimestamp]: formatTimestamp(deadline) }
  let claim: NodeClaim | undefined = first
  for (let round = 1; claim !== undefined && claim.meta.uid === first.meta.uid && !isDueBy(claim, deadline); round++) {
    const written = await api.patchClaim(claim, { annotations }, signal)
    if (written.ok) return true
    if (round === mostRounds) throw new Fault(`write the deadline of nodeclaim ${claim.name}`, written.error)
    claim = await api.getClaim(claim.name, signal)
  }
  return false
}

function isDueBy(claim: NodeClaim, deadline: EpochMs): boolean {
  const own = deadlineOf(claim)
  return own !== undefined && own <= deadline
}

/**
 * Requeues follow a claim: a run adds the key of the claim again. After each run that did nothing, the pause before the next run grows. Once the
 * pause would be longer than half a minute, there is no requeue, and the resync takes over. A run that did something starts again with the shortest
 * pause. What it did was a write guarded by the version of the object, so only one of several concurrent runs did it.
 *
 * For this reason nothing has to remember which process follows the claim. A crash between a step and its requeue, or two processes that both end a
 * claim, cost at most the requeues of a second process: about two minutes and at most `MAX_ATTEMPTS` runs. A lost requeue costs at most one period of
 * the resync.
 */
const FIRST_PAUSE_MS = 1_000
const GROWTH = 1.25
/**
 * A claim that is not initialized waits for its node, and the watch reports the node. Its requeues are only needed to find a machine that Azure gave
 * up after it had accepted the request, which Azure mostly does within seconds: the runs come 4, 8, 16 and 24 seconds after the launch. Runs of many
 * claims share calls to Azure. A claim that is being deleted waits for pods to go, which the watch reports, and for its machine, which nothing
 * reports.
 */
const PACES = {
  coming: (attempt: number): number => COMING_MS[attempt] ?? OVER_MS,
  deleting: (attempt: number): number => Math.round(FIRST_PAUSE_MS * GROWTH ** Math.min(attempt, MAX_ATTEMPTS)),
} as const
const COMING_MS: readonly number[] = [4_000, 4_000, 8_000, 8_000]
/** A pause that ends the requeues. */
const OVER_MS = 60_000
/** The longest pause before a requeue. Longer waits are left to the resync, which comes every minute by default. */
const LAST_PAUSE: DurationMs = durationMs(30_000)

/** The most runs that find nothing to do, with the first run. The pauses grow from one second to the longest pause. */
export const MAX_ATTEMPTS = Math.ceil(Math.log(LAST_PAUSE / FIRST_PAUSE_MS) / Math.log(GROWTH)) + 1

export type NextRequeue = {
  readonly at: EpochMs
  /** False: a single run at a known time, with no run after it unless it does something. */
  readonly follow: boolean
}

/**
 * The requeue after a step that asks for a run at a time of its own. `attempt` counts the runs since the last run that did something.
 * Undefined if the step asks for none, or if the resync comes sooner.
 */
export function nextRequeueOf(
  { wakeAt, dueAt }: ClaimStep,
  { attempt, pace }: { readonly attempt: number; readonly pace: keyof typeof PACES },
  now: EpochMs,
): NextRequeue | undefined {
  if (wakeAt === undefined) return undefined
  const paced = Math.max(wakeAt, now + PACES[pace](attempt))
  const at = epochMs(Math.max(now, Math.min(paced, dueAt ?? paced)))
  if (at > later(now, LAST_PAUSE)) return undefined
  return { at, follow: attempt < MAX_ATTEMPTS - 1 && paced <= later(now, LAST_PAUSE) }
}
