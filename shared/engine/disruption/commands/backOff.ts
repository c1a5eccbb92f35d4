import { largestOf } from '../../../base/lists.ts'
import type { BackOff, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'

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

/** Reports whether a rest still counts for the next one. It counts until as much time has passed after it as it lasted. */
export function isRemembered({ failedAt, until }: BackOff, now: EpochMs): boolean {
  return now < until + (until - failedAt)
}

/** Reports whether the node of the claim rests after a move that failed. */
export function isBackedOff({ name }: NodeClaim, backOffs: readonly BackOff[], now: EpochMs): boolean {
  return backOffs.some(({ claims, until }) => now < until && claims.includes(name))
}
