import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { type DurationMs, type EpochMs, later } from '../../model/units.ts'
import { isTrue, since, statusActions, staysOpen } from './claimStatus.ts'
import { endClaim } from './ending.ts'

const REGISTRATION_TIMEOUT = 'RegistrationTimeout'

/** Gives up on a machine that takes too long. Both clocks start when the claim is made. */
export function stepLiveness(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, now, settings } = observation
  if (!isTrue(claim, 'Launched') && now >= launchDeadline(observation)) {
    const message = `nodeclaim ${claim.name} was not launched within ${minutes(settings.launchTimeout)}`
    return endClaim(observation, { code: 'CLAIM.LAUNCH_TIMEOUT', message, event: 'LaunchTimeout' })
  }
  if (!isTrue(claim, 'Registered') && now >= registrationDeadline(observation)) {
    const message = `no node of nodeclaim ${claim.name} registered within ${minutes(settings.registrationTimeout)}`
    // Still open, so that its clock stands where it did should the step be cut off before the deletion.
    const first = statusActions(observation, [staysOpen('Registered', REGISTRATION_TIMEOUT, message)])
    return endClaim(observation, { code: 'CLAIM.REGISTRATION_TIMEOUT', message, event: REGISTRATION_TIMEOUT, first })
  }
  return undefined
}

export function launchDeadline({ claim, settings }: ClaimObservation): EpochMs {
  return later(since(claim, 'Launched'), settings.launchTimeout)
}

export function registrationDeadline({ claim, settings }: ClaimObservation): EpochMs {
  return later(since(claim, 'Registered'), settings.registrationTimeout)
}

function minutes(duration: DurationMs): string {
  return `${duration / 60_000} minutes`
}
