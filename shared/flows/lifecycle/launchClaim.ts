import { InternalError } from '../../base/internalError.ts'
import { afterLaunch, afterRefusal } from '../../engine/lifecycle/launch.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { Instance } from '../../model/instance.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { LaunchChoice, LaunchPlan } from '../../model/launchPlan.ts'
import type { DurationMs, EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { nodeClassNow } from '../deps/nodeVersions.ts'
import { reportLaunch } from '../reports/reportClaim.ts'
import { traceMade } from '../reports/reportTrace.ts'
import { type Applied, applyClaimAction, done, written } from './applyClaimAction.ts'
import { lockedSince } from './launches.ts'
import { lockDuration, lockLaunch, unlockLaunch } from './launchLock.ts'
import { isPodAction } from './podAction.ts'
import { type Taken, tryCandidates } from './tryCandidates.ts'

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
  const applied = await applyStep(deps, mine, afterLaunch(mine, candidate, instance), signal)
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
