import { settle } from '../../base/bounded.ts'
import { InternalError } from '../../base/internalError.ts'
import type { Result } from '../../base/result.ts'
import { otherKindsFirst } from '../../engine/launch/otherKindsFirst.ts'
import { planLaunch, refusedOfClass } from '../../engine/launch/planLaunch.ts'
import { afterLaunch, afterRefusal } from '../../engine/lifecycle/launch.ts'
import { blocksOf, refusalsNow } from '../../engine/offering/classRefusals.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { Instance, LaunchRefusal } from '../../model/instance.ts'
import { zoneText } from '../../model/inWords.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { LaunchCandidate, LaunchChoice, LaunchPlan } from '../../model/launchPlan.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { registrationTimeout } from '../../model/timeouts.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LaunchRequest } from '../../ports/cloudProvider.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { problemOf } from '../deps/doEach.ts'
import { nodeClassNow } from '../deps/nodeVersions.ts'
import { measureLaunchFailed, measureLaunchTried } from '../reports/claimMetrics.ts'
import { reportLaunch, reportUnavailable } from '../reports/reportClaim.ts'
import { type PartTimes, traceMade } from '../reports/reportTrace.ts'
import { type Applied, applyClaimAction, done, written } from './applyClaimAction.ts'
import { launchesOf, lockedSince } from './launches.ts'
import { lockDuration, lockLaunch, unlockLaunch } from './launchLock.ts'
import { isPodAction } from './podAction.ts'

/** How long a bootstrap token outlives the registration timeout. The clock of the API server may differ from ours. */
const TOKEN_MARGIN: DurationMs = durationMs(60_000)
/**
 * After this many refusals of one attempt that may not depend on the size, the claim says so and waits a moment. The next attempt goes on with the
 * other sizes.
 */
const MOST_UNKNOWN = 5

/**
 * Creates the machine of a claim. Tries the candidates in order within this step, until Azure accepts one. Each refusal blocks the offerings that it
 * is about. An annotation on the claim, guarded by its version, is the launch lock: without it, two processes could choose different sizes for one
 * machine name. A process that creates a claim and launches it at once writes the annotation when it creates the claim. A process stops launching
 * when its lock ends. A slow process may still run beside the next one. The bootstrap token is valid whichever of the two machines is made.
 */
export async function launchClaim(
  deps: ClusterDeps,
  observation: ClaimObservation,
  plan: LaunchPlan,
  signal: AbortSignalLike,
): Promise<Applied> {
  const { nodeClass, now } = observation
  if (nodeClass === undefined) return { kind: 'raced' }
  const locked = await lockLaunch(deps, observation, signal)
  if (locked.kind !== 'locked') return locked
  const { observation: mine, since, until } = locked
  const tried = await tryCandidates(deps, mine, await nodeClassNow(deps, nodeClass, signal), { plan, until }, signal)
  if (tried.refusal) return waitAsAsked(deps, mine, afterRefusal(mine, tried.refusal), lockDuration(deps), signal)
  if (tried.taken) return keep(deps, mine, tried.taken, since > 0 ? since : now, signal)
  return unlockLaunch(deps, mine, signal)
}

/**
 * Writes the launched machine to the claim, and then reports the launch. Only the process whose write succeeds reports it, so it is reported once.
 * After a lost or refused write, the next look finds the machine. `since`: when the first attempt to launch began.
 */
async function keep(deps: ClusterDeps, mine: ClaimObservation, taken: Taken, since: EpochMs, signal: AbortSignalLike): Promise<Applied> {
  const { candidate, instance, parts, at } = taken
  const applied = await applyStep(deps, mine, afterLaunch(mine, candidate, instance), signal)
  if (applied.kind !== 'done' && applied.kind !== 'wait') return applied
  report(deps, mine, taken)
  traceMade(deps, mine.claim, parts, { since, machineAt: instance.createdAt ?? since, at })
  return applied
}

type Taken = {
  readonly candidate: LaunchCandidate
  readonly instance: Instance
  readonly parts: PartTimes
  /** When Azure had accepted the request. */
  readonly at: EpochMs
}

type Tried = {
  readonly taken?: Taken
  /** Set if further tries make no sense now. */
  readonly refusal?: LaunchRefusal
}

async function tryCandidates(
  deps: ClusterDeps,
  observation: ClaimObservation,
  nodeClass: NodeClass,
  { plan: first, until }: { readonly plan: LaunchPlan; readonly until: EpochMs },
  signal: AbortSignalLike,
): Promise<Tried> {
  const { claim } = observation
  const before = refusedOfClass(claim, observation.instanceTypes, observation.unavailable, deps.clock.now())
  let plan = otherKindsFirst(first, before)
  let { unavailable } = observation
  let unknown = 0
  const tried: LaunchCandidate[] = []
  for (;;) {
    const within = durationMs(until - deps.clock.now())
    const candidate = nextCandidate(plan, within)
    if (candidate === undefined) return {}
    const { launched, parts } = await launchOne(deps, observation, { nodeClass, candidate, within }, signal)
    if (launched.ok) {
      return { taken: { candidate: matching(plan, launched.value) ?? candidate, instance: launched.value, parts, at: deps.clock.now() } }
    }
    const refusal = launched.error
    deps.telemetry.warn(`${candidate.choice.size} in ${zoneText(candidate.choice.zone)} was refused: ${refusal.problem.message}`, {
      cluster: deps.cluster,
      claim: claim.name,
      code: refusal.problem.code,
    })
    reportLaunch(deps, claim, candidate.choice, deps.clock.now(), refusal.problem.code)
    if ((refusal.own ?? []).length > 0) unknown++
    if (endsAttempt(refusal) || unknown === MOST_UNKNOWN) return { refusal }
    const blocked = await deps.offerings.mark(blocksOf(refusal, nodeClass), deps.clock.now(), signal)
    reportUnavailable(deps, blocked)
    // Other claims were refused meanwhile. What they learned spares tries.
    const known = await deps.offerings.unavailable(deps.clock.now(), signal)
    unavailable = [...refusalsNow(known, [nodeClass]), ...blocked]
    tried.push(candidate)
    const open = planLaunch(claim, observation.instanceTypes, unavailable, deps.clock.now())
    plan = otherKindsFirst(without(open, tried), [...before, ...tried])
    // What Azure said about this NodeClass is said on the claim before it ends. A refusal may also block less than was tried: the next look would find
    // open choices again.
    if (plan.candidates.length === 0 && (unknown > 0 || open.candidates.length > 0)) return { refusal }
  }
}

/** Asks Azure for the machine of one candidate, and counts the try and its failure. */
async function launchOne(
  deps: ClusterDeps,
  observation: ClaimObservation,
  asked: Pick<LaunchRequest, 'nodeClass' | 'candidate' | 'within'>,
  signal: AbortSignalLike,
): Promise<{ readonly launched: Result<Instance, LaunchRefusal>; readonly parts: PartTimes }> {
  const { claim } = observation
  const { capacityType } = asked.candidate.choice
  const launch = { number: launchesOf(claim), uid: claim.meta.uid }
  const tokenEnds = later(deps.clock.now(), durationMs(registrationTimeout(observation) + TOKEN_MARGIN))
  let parts: PartTimes = {}
  const request: LaunchRequest = {
    ...asked,
    claim,
    bootstrapToken: () => deps.api.putBootstrapToken(claim.name, tokenEnds, signal, launch),
    made: (part, from) => void (parts = { ...parts, [part]: from }),
  }
  measureLaunchTried(deps, capacityType)
  const told = await settle(() => deps.cloud.launch(request, signal))
  const failed = !told.ok ? problemOf(told.error).code : !told.value.ok ? told.value.error.problem.code : undefined
  if (failed !== undefined) measureLaunchFailed(deps, { phase: 'sync', capacityType, errorCode: failed })
  if (!told.ok) throw told.error
  return { launched: told.value, parts }
}

/** Reports whether no other candidate is worth a try now: the refusal asks for something else, or blocks no offering. */
function endsAttempt({ then, unavailable, own = [] }: LaunchRefusal): boolean {
  return then !== 'next' || unavailable.length + own.length === 0
}

/**
 * The next candidate within the time of the lock. After that time another process may launch, so the other candidates wait for the next look, which
 * takes a new lock.
 */
function nextCandidate({ candidates }: LaunchPlan, within: DurationMs): LaunchCandidate | undefined {
  return within > 0 ? candidates[0] : undefined
}

/** The plan without the choices that were tried. A refusal may block less than the choice, and each choice is tried only once. */
function without({ candidates }: LaunchPlan, tried: readonly LaunchCandidate[]): LaunchPlan {
  return { candidates: candidates.filter(({ choice }) => !tried.some((each) => isSameChoice(each.choice, choice))) }
}

/** The candidate of a machine. A machine that was found instead of created may have another size or zone than the candidate asked for. */
function matching(plan: LaunchPlan, instance: Instance): LaunchCandidate | undefined {
  return plan.candidates.find(({ choice }) => isSameChoice(choice, instance))
}

function isSameChoice(one: LaunchChoice, other: Omit<LaunchChoice, 'price'>): boolean {
  return one.size === other.size && one.zone === other.zone && one.capacityType === other.capacityType
}

/**
 * Applies the step that follows a refusal. If it waits longer than the lock, the lock is extended, so that no process launches the claim meanwhile:
 * Azure counts calls, and may ask for minutes without a call.
 */
async function waitAsAsked(
  deps: ClusterDeps,
  observation: ClaimObservation,
  step: ClaimStep,
  launchLock: DurationMs,
  signal: AbortSignalLike,
): Promise<Applied> {
  const { claim } = observation
  const lockedFrom = (step.wakeAt ?? 0) - launchLock
  if (lockedFrom <= lockedSince(claim)) return applyStep(deps, observation, step, signal)
  const kept = await deps.api.patchClaim(claim, { annotations: { [ANNOTATION.launchStarted]: String(lockedFrom) } }, signal)
  return kept.ok ? applyStep(deps, { ...observation, claim: kept.value }, step, signal) : written(kept, () => done(observation, false))
}

async function applyStep(deps: ClusterDeps, observation: ClaimObservation, step: ClaimStep, signal: AbortSignalLike): Promise<Applied> {
  let seen = observation
  let changed = false
  for (const action of step.actions) {
    if (action.kind === 'launch' || isPodAction(action))
      throw new InternalError(`claim ${observation.claim.name} wants ${action.kind} as the answer to a launch`)
    const applied = await applyClaimAction(deps, seen, action, signal)
    if (applied.kind !== 'done') return applied
    seen = applied.observation
    changed ||= applied.changed
  }
  return step.wakeAt === undefined ? done(seen, changed) : { kind: 'wait', observation: seen, wakeAt: step.wakeAt, changed }
}

/** The choice of the machine itself, which may differ from the candidate if the machine was found instead of created. */
function chosen({ size, zone, capacityType }: Instance): Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'> {
  return { size, zone, capacityType }
}

function report(deps: ClusterDeps, observation: ClaimObservation, { candidate, instance, at }: Taken): void {
  const { annotations, createdAt } = observation.claim.meta
  const decidedAt = annotations[ANNOTATION.decidedAt]
  const took = at - Number(decidedAt ?? createdAt)
  const since = decidedAt === undefined ? 'it was made' : 'the decision'
  deps.telemetry.info(`nodeclaim ${observation.claim.name} launched (VM ${instance.name}, ${took} ms after ${since})`, {
    cluster: deps.cluster,
    claim: observation.claim.name,
    size: candidate.choice.size,
    zone: candidate.choice.zone,
    capacityType: candidate.choice.capacityType,
  })
  reportLaunch(deps, observation.claim, { ...candidate.choice, ...chosen(instance) }, at)
  deps.telemetry.measure('launched_ms', took, { cluster: deps.cluster, claim: observation.claim.name })
}
