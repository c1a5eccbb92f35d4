import { defined } from '../../base/values.ts'
import { stepNodeClaim } from '../../engine/lifecycle/stepNodeClaim.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { parseTraceParent, traceIn } from '../../model/trace.ts'
import type { EpochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused } from '../deps/clusterDeps.ts'
import { inTrace } from '../reports/reportTrace.ts'
import { applyAll } from './applyActions.ts'
import { finishLostNode } from './finishLostNode.ts'
import { observeClaim, observeEnded, observeFresh } from './observeClaim.ts'
import { type AppliedAll, createSeenClaims, isMachineEnding, nextKnown, observeKnown, type SeenClaims, takesAway } from './observeKnown.ts'
import { reportFailed } from './reportRemoved.ts'
import { type ClaimOutcome, followUp, stillUnderWay } from './stillUnderWay.ts'

/** The most steps within one request. The whole life of a claim has fewer. More steps mean that two steps undo each other. */
const MOST_STEPS = 12
/** The most writes of one run that may lose against another writer. The other writer goes on with the claim, or its change is news. */
const MOST_RACES = 2

/**
 * Steps one claim as far as possible now: observes it, decides the step, applies the actions, and observes it again. A write that lost a race is no
 * failure: the next observation shows what the other writer wrote. `followUp` adds the key of the claim again for the next run.
 */
export async function stepClaim(
  outer: ClusterDeps,
  request: ClaimRequest,
  signal: AbortSignalLike,
  seen: SeenClaims = createSeenClaims(),
): Promise<ClaimOutcome> {
  // The trace comes from the request, because the claim may be unreadable.
  const deps = { ...outer, telemetry: inTrace(outer.telemetry, parseTraceParent(request.trace)) }
  try {
    return await reconcileClaim(deps, request, signal, seen)
  } catch (cause) {
    // The failed call may not name the claim. Here its name is known.
    if (!(cause instanceof Fault)) throw cause
    logRefused(deps, `a step of nodeclaim ${request.claim}`, cause.problem)
    if (cause.problem.code !== 'AZURE.FORBIDDEN') throw cause
    // To try again within seconds is of no use: an operator has to act, and the resync tries every minute.
    await reportFailed(deps, request.claim, cause.problem, signal)
    return 'left'
  }
}

/** Does the same as `stepClaim` for a caller that tries again by itself: all Faults are thrown. */
export async function reconcileClaim(
  deps: ClusterDeps,
  request: ClaimRequest,
  signal: AbortSignalLike,
  seen: SeenClaims = createSeenClaims(),
): Promise<ClaimOutcome> {
  if (hasNoNews(request) && seen.hasEnded(request.claim, deps.clock.now())) return 'gone'
  const last = seen.get(request.claim)
  const still = last && (await stillUnderWay(deps, request, last, signal))
  const outcome = still ? followUp(deps, { request, ...still, changed: false }) : await stepNow(deps, request, seen, signal)
  const { claim, because, isFollowed: follow, attempt } = request
  deps.telemetry.debug(`nodeclaim ${claim} was reconciled: ${outcome}`, { cluster: deps.cluster, claim, because, follow, attempt })
  return outcome
}

/**
 * Reports whether the run is a requeue, or news without objects. Right after this process ended a claim and its node, such news tells of the end itself, so
 * nothing is read. The first run of a new claim, and the resync, are no such runs.
 */
function hasNoNews({ because, isFollowed, attempt, known }: ClaimRequest): boolean {
  const isFirst = because === 'news' && isFollowed && attempt === 0
  return known === undefined && because !== 'resync' && !isFirst
}

async function stepNow(outer: ClusterDeps, request: ClaimRequest, seen: SeenClaims, signal: AbortSignalLike): Promise<ClaimOutcome> {
  let deps = outer
  let claim: NodeClaim | undefined
  let races = 0
  let step: ClaimStep = { actions: [], reasons: [] }
  let changed = false
  const first = request.known && (await observeKnown(deps, request, seen, signal))
  let known = first
  for (let round = 0; round < MOST_STEPS && races < MOST_RACES; round++) {
    const looked = await observeAndStep(deps, request, { known, seen }, signal)
    if (typeof looked === 'string') return looked
    const { observation } = looked
    ;({ step } = looked)
    ;({ claim } = observation)
    deps = { ...outer, telemetry: inTrace(outer.telemetry, traceIn(claim)) }
    if (step.actions.length === 0) break
    const applied = await applyAll(deps, observation, { actions: step.actions, backOff: seen.evictions }, signal)
    changed ||= applied.changed
    // A write that failed because what was known was old is no race. In the end of a claim, only another process of Joiner wins a race, and goes on.
    if (applied.ended === 'raced' && observation !== first) races += claim.meta.deletedAt === undefined ? 1 : MOST_RACES
    noteSeen(seen, applied, deps.clock.now())
    step = timedBy(step, applied)
    if (isThrough(applied, step, deps.clock.now())) break
    known = await nextKnown(deps, applied, step, signal)
  }
  if (races >= MOST_RACES) logRaced(deps, request.claim)
  return followUp(deps, { request, claim, step, changed })
}

/** The step with the times of its applied actions, which replace its own times. */
function timedBy(step: ClaimStep, { wakeAt = step.wakeAt, dueAt = step.dueAt }: AppliedAll): ClaimStep {
  return defined({ ...step, wakeAt, dueAt })
}

/**
 * Reports whether another run would find nothing to do now. A claim that is being deleted is done for now if the step asks for a later run. It is
 * done for good once its last finalizer is removed.
 */
function isThrough({ ended, observation }: AppliedAll, { wakeAt }: ClaimStep, now: EpochMs): boolean {
  if (ended !== 'done') return ended === 'wait'
  const { deletedAt, finalizers } = observation.claim.meta
  return deletedAt !== undefined && (finalizers.length === 0 || (wakeAt !== undefined && wakeAt > now))
}

type ObservedStep = { readonly observation: ClaimObservation; readonly step: ClaimStep }
type KnownBefore = { readonly known: ClaimObservation | 'settled' | undefined; readonly seen: SeenClaims }

/** Decides the step on the known observation, or on a live one if nothing is known or the step removes something. */
async function observeAndStep(
  deps: ClusterDeps,
  request: ClaimRequest,
  { known, seen }: KnownBefore,
  signal: AbortSignalLike,
): Promise<ObservedStep | 'settled' | 'gone'> {
  if (known === 'settled') return 'settled'
  const step = known && stepNodeClaim(known)
  if (known && step && !takesAway(step)) return { observation: known, step }
  const begun = request.known?.otherNodes === undefined ? observeFresh(deps, request.claim) : undefined
  if (begun === undefined) return observeLiveAndStep(deps, request, seen, signal)
  seen.note(begun.claim)
  return { observation: begun, step: stepNodeClaim(begun) }
}

/** Decides the step on live objects. After the end of a machine, the claim is not read, because each write is guarded by a version. */
async function observeLiveAndStep(
  deps: ClusterDeps,
  { claim: name, known: told }: ClaimRequest,
  seen: SeenClaims,
  signal: AbortSignalLike,
): Promise<ObservedStep | 'settled' | 'gone'> {
  const last = seen.get(name)
  const known = { node: seen.nodeOf(name), otherNodes: told?.otherNodes }
  const after = last && isMachineEnding(last) ? await observeEnded(deps, last, known, signal) : undefined
  if (after !== undefined) return { observation: after, step: stepNodeClaim(after) }
  const observation = await observeClaim(deps, name, signal, told?.otherNodes)
  if (observation === 'foreign') return 'settled'
  if (observation !== undefined) {
    seen.note(observation.claim)
    return { observation, step: stepNodeClaim(observation) }
  }
  seen.forget(name)
  await finishLostNode(deps, name, signal, told?.otherNodes)
  return 'gone'
}

/** Remembers the claim. It is forgotten after a lost write, and while pods are held, so that the next run tries the evictions again. */
function noteSeen(seen: SeenClaims, { ended, isOfNode, isHeld, observation: { claim, nodes } }: AppliedAll, now: EpochMs): void {
  if (isHeld || (ended === 'raced' && !isOfNode)) return seen.forget(claim.name)
  seen.note(claim)
  if (claim.meta.deletedAt !== undefined && claim.meta.finalizers.length === 0) seen.noteEnd(claim.name, now)
  const [node, ...others] = nodes
  // A node with finalizers of others is read again, so that none of them is written back.
  const isOnlyOurs = node?.meta.finalizers.every((finalizer) => finalizer === FINALIZER) === true && others.length === 0
  if (isMachineEnding(claim) && ended !== 'raced' && node !== undefined && isOnlyOurs) seen.noteNode(claim.name, node)
}

/** Logs lost writes. Once is harmless. Many such lines about one claim show two writers that undo each other. */
function logRaced({ cluster, telemetry }: ClusterDeps, claim: NodeClaimName): void {
  const message = `nodeclaim ${claim} changed under each of ${MOST_RACES} writes; left to the other writer`
  telemetry.info(message, { cluster, claim, code: 'KUBE.CONFLICT' })
}
