import { afterLaunch, afterRefusal } from '../../engine/lifecycle/launch.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { Instance, LaunchChoice, LaunchPlan } from '../../model/instance.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import { type DurationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, FLOW_LIMITS, nodeClassNow } from '../deps/clusterDeps.ts'
import { reportLaunch } from '../reports/reportClaim.ts'
import { traceMade } from '../reports/reportTrace.ts'
import { type Applied, applyAnswer, done, written } from './applyClaimAction.ts'
import { launchesOf, lockAnnotations, lockedSince, type Taken, tryCandidates } from './tryCandidates.ts'

/**
 * Creates the machine of a claim. Tries the candidates in order within this step, until Azure accepts one. An annotation on the claim, guarded by its
 * version, is the launch lock: without it, two processes could choose different sizes for one machine name. A process that creates a claim and
 * launches it at once writes the annotation when it creates the claim. A process stops launching when its lock ends. A slow process may still run
 * beside the next one. The bootstrap token is valid whichever of the two machines is made.
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
  const tried = await tryCandidates(
    deps,
    plan,
    { observation: mine, nodeClass: await nodeClassNow(deps, nodeClass, signal), until },
    signal,
  )
  if (tried.refusal) return waitAsAsked(deps, mine, afterRefusal(mine, tried.refusal), lockDuration(deps), signal)
  if (tried.taken) return keep(deps, mine, tried.taken, since > 0 ? since : now, signal)
  return unlockLaunch(deps, mine, signal)
}

/**
 * Writes the launched machine to the claim, and then reports the launch. Only the process whose write succeeds reports it, so it is reported once.
 * After a lost or refused write, the next run finds the machine. `since`: when the first attempt to launch began.
 */
async function keep(deps: ClusterDeps, mine: ClaimObservation, taken: Taken, since: EpochMs, signal: AbortSignalLike): Promise<Applied> {
  const { candidate, instance, parts, at } = taken
  const applied = await applyAnswer(deps, mine, afterLaunch(mine, candidate, instance), signal)
  if (applied.kind !== 'done' && applied.kind !== 'wait') return applied
  report(deps, mine, taken)
  traceMade(deps, mine.claim, parts, { since, machineAt: instance.createdAt ?? since, at })
  return applied
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
  if (lockedFrom <= lockedSince(claim)) return applyAnswer(deps, observation, step, signal)
  const kept = await deps.api.patchClaim(claim, { annotations: { [ANNOTATION.launchStarted]: String(lockedFrom) } }, signal)
  return kept.ok ? applyAnswer(deps, { ...observation, claim: kept.value }, step, signal) : written(kept, () => done(observation, false))
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

export type Locked = {
  readonly kind: 'locked'
  readonly observation: ClaimObservation
  /** When an earlier launch of the claim began. 0 if there was none. */
  readonly since: EpochMs
  readonly until: EpochMs
}

const NEVER = epochMs(0)
/** For how long a lock that was written with a new claim is used without another guarded write. After that, the claim may have ended. */
const TRUSTED_MS = 5_000

/**
 * Writes the lock of a launch. If another process holds the lock, the launch waits until that lock ends. A lock that this process wrote when it
 * created the claim is used for the first launch, if that launch comes at once.
 */
export async function lockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Locked | Applied> {
  const { claim, now } = observation
  const lasts = lockDuration(deps)
  const since = lockedSince(claim)
  const until = later(since, lasts)
  const isOurs = now < until && deps.launchLocks?.take(claim.name, since) === true
  if (isOurs && now - since <= Math.min(TRUSTED_MS, lasts / 2)) return { kind: 'locked', observation, since: NEVER, until }
  if (now < until && !isOurs) return { kind: 'wait', observation, wakeAt: until, dueAt: until, changed: false }
  const locked = await deps.api.patchClaim(claim, { annotations: lockAnnotations(now, launchesOf(claim) + 1) }, signal)
  if (!locked.ok) return written(locked, () => done(observation, false))
  return { kind: 'locked', observation: { ...observation, claim: locked.value }, since: isOurs ? NEVER : since, until: later(now, lasts) }
}

function lockDuration({ limits }: ClusterDeps): DurationMs {
  return (limits ?? FLOW_LIMITS).launchLock
}

const UNLOCKED: Labels = { [ANNOTATION.launchStarted]: '0' }

/**
 * Removes the lock of a claim whose launch this process leaves to another one. Only a lock is removed that this process wrote with the claim and has
 * not used, so no launch has begun.
 */
export async function leaveLaunch(deps: ClusterDeps, { claim, known }: ClaimRequest, signal: AbortSignalLike): Promise<void> {
  const launch = known?.launch
  if (launch === undefined || deps.launchLocks?.take(claim, lockedSince(launch.claim)) !== true) return
  await deps.api.patchClaim(launch.claim, { annotations: UNLOCKED }, signal)
}

/** Removes the lock when no candidate is left. The next run finds an empty plan and deletes the claim. */
async function unlockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const unlocked = await deps.api.patchClaim(observation.claim, { annotations: UNLOCKED }, signal)
  return written(unlocked, (claim) => done({ ...observation, claim }, true))
}
