import type { ClaimObservation } from '../../model/claimStep.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { FLOW_LIMITS } from '../deps/flowLimits.ts'
import { type Applied, done, written } from './applyClaimAction.ts'
import { launchesOf, lockOf } from './launches.ts'

export type Locked = {
  readonly kind: 'locked'
  readonly observation: ClaimObservation
  /** When the lock before was written; 0: there was none. */
  readonly since: number
  readonly until: EpochMs
}

/** Writes the lock of a launch. One that another process holds is waited for; one that this process made the claim with holds for its first launch. */
export async function lockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Locked | Applied> {
  const { claim, now } = observation
  const since = Number(claim.meta.annotations[ANNOTATION.launchStarted] ?? 0)
  const lockedFor = durationMs(launchLockOf(deps) - (now - since))
  if (lockedFor > 0) {
    const isOurs = deps.launchLocks?.take(claim.name, since) === true
    const until = later(now, lockedFor)
    return isOurs ? { kind: 'locked', observation, since, until } : { kind: 'wait', observation, wakeAt: until, changed: false }
  }
  const locked = await deps.api.patchClaim(claim, { annotations: lockOf(now, launchesOf(claim) + 1) }, signal)
  if (!locked.ok) return written(locked, () => done(observation, false))
  return { kind: 'locked', observation: { ...observation, claim: locked.value }, since, until: later(now, launchLockOf(deps)) }
}

export function launchLockOf({ limits }: ClusterDeps): DurationMs {
  return (limits ?? FLOW_LIMITS).launchLock
}

/** Nothing is left to try: the next look at the claim sees an empty plan and ends it. */
export async function unlockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const unlocked = await deps.api.patchClaim(observation.claim, { annotations: { [ANNOTATION.launchStarted]: '0' } }, signal)
  return written(unlocked, (claim) => done({ ...observation, claim }, true))
}
