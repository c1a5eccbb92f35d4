import type { ClaimObservation } from '../../model/claimStep.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { type DurationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { FLOW_LIMITS } from '../deps/flowLimits.ts'
import { type Applied, done, written } from './applyClaimAction.ts'
import { launchesOf, lockAnnotations, lockedSince } from './launches.ts'

export type Locked = {
  readonly kind: 'locked'
  readonly observation: ClaimObservation
  /** When another launch of the claim began before; 0: none did. */
  readonly since: EpochMs
  readonly until: EpochMs
}

const NEVER = epochMs(0)
/** The lock that a process wrote with a claim stands for a guarded write no longer than this: the claim may have ended since. */
const TRUSTED_MS = 5_000

/**
 * Writes the lock of a launch. One that another process holds is waited for, up to its end and no longer. One that this process made the claim with
 * holds for its first launch, if that comes at once.
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

export function lockDuration({ limits }: ClusterDeps): DurationMs {
  return (limits ?? FLOW_LIMITS).launchLock
}

/** Nothing is left to try: the next look at the claim sees an empty plan and ends it. */
export async function unlockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const unlocked = await deps.api.patchClaim(observation.claim, { annotations: { [ANNOTATION.launchStarted]: '0' } }, signal)
  return written(unlocked, (claim) => done({ ...observation, claim }, true))
}
