import type { ClaimStep } from '../../model/claimStep.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/**
 * Requeues follow a claim: a run adds the key of the claim again. After each run that did nothing, the pause before the next run grows. Once the pause
 * would be longer than half a minute, there is no requeue, and the resync takes over. A run that did something starts again with the shortest pause. What
 * it did was a write guarded by the version of the object, so only one of several concurrent runs did it.
 *
 * For this reason nothing has to remember which process follows the claim. A crash between a step and its requeue, or two processes that both end a claim,
 * cost at most the requeues of a second process: about two minutes and at most `MAX_ATTEMPTS` runs. A lost requeue costs at most one period of the resync.
 */
const FIRST_PAUSE_MS = 1_000
const GROWTH = 1.25
/**
 * A claim that is not initialized waits for its node, and the watch reports the node. Its requeues are only needed to find a machine that Azure gave up
 * after it had accepted the request, which Azure mostly does within seconds: the runs come 4, 8, 16 and 24 seconds after the launch. Runs of many
 * claims share calls to Azure. A claim that is being deleted waits for pods to go, which the watch reports, and for its machine, which nothing reports.
 */
const PACES = {
  coming: (attempt: number): number => COMING_MS[attempt] ?? OVER_MS,
  deleting: (attempt: number): number => Math.round(FIRST_PAUSE_MS * GROWTH ** Math.min(attempt, MAX_ATTEMPTS)),
} as const
const COMING_MS: readonly number[] = [4_000, 4_000, 8_000, 8_000]
/** A pause that ends the requeues. */
const OVER_MS = 60_000
/** The longest pause before a requeue. Longer waits are left to the resync, which comes every minute by default. */
const LAST_PAUSE: DurationMs = durationMs(30_000)

/** The most runs that find nothing to do, with the first run. The pauses grow from one second to the longest pause. */
export const MAX_ATTEMPTS = Math.ceil(Math.log(LAST_PAUSE / FIRST_PAUSE_MS) / Math.log(GROWTH)) + 1

export type NextRequeue = {
  readonly at: EpochMs
  /** False: a single run at a known time, with no run after it unless it does something. */
  readonly follow: boolean
}

/**
 * The requeue after a step that asks for a run at a time of its own. `attempt` counts the runs since the last run that did something.
 * Undefined if the step asks for none, or if the resync comes sooner.
 */
export function nextRequeueOf(
  { wakeAt, dueAt }: ClaimStep,
  { attempt, pace }: { readonly attempt: number; readonly pace: keyof typeof PACES },
  now: EpochMs,
): NextRequeue | undefined {
  if (wakeAt === undefined) return undefined
  const paced = Math.max(wakeAt, now + PACES[pace](attempt))
  const at = epochMs(Math.max(now, Math.min(paced, dueAt ?? paced)))
  if (at > later(now, LAST_PAUSE)) return undefined
  return { at, follow: attempt < MAX_ATTEMPTS - 1 && paced <= later(now, LAST_PAUSE) }
}
