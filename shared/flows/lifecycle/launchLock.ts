import type { ClaimObservation } from '../../model/claimStep.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import { type DurationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { FLOW_LIMITS } from '../deps/flowLimits.ts'
import { type Applied, done, written } from './applyClaimAction.ts'
import { launchesOf, lockAnnotations, lockedSince } from './launches.ts'

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

export function lockDuration({ limits }: ClusterDeps): DurationMs {
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
export async function unlockLaunch(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const unlocked = await deps.api.patchClaim(observation.claim, { annotations: UNLOCKED }, signal)
  return written(unlocked, (claim) => done({ ...observation, claim }, true))
}
