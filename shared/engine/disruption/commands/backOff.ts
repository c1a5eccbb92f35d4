import { largestOf } from '../../../base/lists.ts'
import type { BackOff, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { DisruptionBlock } from './liveCheck.ts'

/**
 * How long the nodes of a failed move rest the first time. A refusal by live objects comes at once and costs nothing. A replacement that does not
 * come costs minutes and money.
 */
export const FIRST_REST = { refused: durationMs(60_000), failed: durationMs(10 * 60_000) }
const LONGEST_REST_MS = 4 * 3_600_000

/** The rest of a command's nodes. It is twice as long as the last remembered rest in their pools, and four hours at most. */
export function backOffOf(command: DisruptionCommand, before: readonly BackOff[], now: EpochMs, first: DurationMs): BackOff {
  const pools = [...new Set(command.candidates.map(({ pool }) => pool))].sort()
  const inPools = before.filter((each) => isRemembered(each, now) && each.pools.some((pool) => pools.includes(pool)))
  const failures =
    1 +
    largestOf(
      inPools.map((each) => each.failures),
      0,
    )
  const rest = Math.min(LONGEST_REST_MS, first * 2 ** (failures - 1))
  return { claims: command.candidates.map(({ claim }) => claim), pools, failures, failedAt: now, until: later(now, durationMs(rest)) }
}

/**
 * The rest of a command that live objects do not allow. A command whose pods could not be read rests for a minute each time, and counts for no other
 * rest: nothing of it failed, and each try taints and untaints its nodes.
 */
export function restOfRefused(command: DisruptionCommand, { unread }: DisruptionBlock, before: readonly BackOff[], now: EpochMs): BackOff {
  if (unread === undefined) return backOffOf(command, before, now, FIRST_REST.refused)
  const claims = command.candidates.map(({ claim }) => claim)
  return { claims, pools: [], failures: 1, failedAt: now, until: later(now, FIRST_REST.refused), unread }
}

/** Reports whether a rest still counts for the next one. It counts until as much time has passed after it as it lasted. */
export function isRemembered({ failedAt, until }: BackOff, now: EpochMs): boolean {
  return now < until + (until - failedAt)
}

/** Returns the rests of the claim's node that are not over. */
export function restsOf({ name }: NodeClaim, backOffs: readonly BackOff[], now: EpochMs): readonly BackOff[] {
  return backOffs.filter(({ claims, until }) => now < until && claims.includes(name))
}

/** Says why a node rests. */
export function restMessage(rests: readonly BackOff[]): string {
  return rests.every(({ unread }) => unread)
    ? 'its pods could not be read a short while ago'
    : 'a move of its node failed a short while ago'
}
