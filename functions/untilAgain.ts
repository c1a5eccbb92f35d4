import { isNotReady } from '../shared/flows/ledger/rest.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { ClusterRuntime } from './appDeps.ts'
import type { Schedule } from './schedules.ts'

/** The longest time without a post of the shim. */
export const LONGEST_SILENCE_MS = 300_000
/** The shim comes this much before the time of the work, so that an invocation is open by then. */
const EARLY_MS = 500

/**
 * Returns after how many milliseconds the shim must come again: when the next work of this process is due, or, while a NodeClaim comes or goes, at the
 * next time of the schedule. `isMoving`: what the caller knows of that beyond the loaded cluster.
 */
export function msUntilAgain(
  { cover, deps, reader }: Pick<ClusterRuntime, 'cover' | 'deps' | 'reader'>,
  schedule: Schedule,
  isMoving = false,
): number {
  const now = deps.clock.now()
  const until = (at: EpochMs | undefined, early = 0): number => (at === undefined ? LONGEST_SILENCE_MS : Math.max(0, at - early - now))
  const comesOrGoes = isMoving || reader.known()?.objects().nodeClaim.some(isNotReady) === true
  const nextLook = until(comesOrGoes ? schedule.next(now) : undefined)
  return Math.min(until(cover.queue.nextDueAt(), EARLY_MS), nextLook)
}
