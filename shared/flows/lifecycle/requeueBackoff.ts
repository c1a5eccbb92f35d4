import type { ClaimStep } from '../../model/claimStep.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/**
 * A look is the handling of one message about a claim. A chain of delayed messages follows a claim. After each look that did nothing, the pause
 * before the next look grows. Once the pause would be longer than half a minute, the chain ends, and the resync timer takes over. A look that did
 * something starts the chain again. What it did was a write guarded by the version of the object, so only one of several concurrent looks did it.
 *
 * For this reason nothing has to remember which chain belongs to the claim. A message that is delivered twice, a crash between a step and the end of
 * its message, or two processes that both end a claim start a second chain. It lasts about two minutes and at most `MAX_ATTEMPTS` looks. A lost
 * message costs at most one period of the timer. No process has to know of another process, and nothing has to be cleaned up. If one process holds the
 * messages of two chains, it drops the older chain.
 */
const FIRST_PAUSE_MS = 1_000
const GROWTH = 1.25
/**
 * A claim that is not initialized waits for its node, and the watch reports the node. Its chain is only needed to find a machine that Azure gave up
 * after it had accepted the request, which Azure mostly does within seconds: the looks come 4, 8, 16 and 24 seconds after the launch. Looks at many
 * machines share calls to Azure. A claim that is being deleted waits for pods to go, which a hint reports, and for its machine, which no message reports.
 */
const PACES = {
  coming: (attempt: number): number => COMING_MS[attempt] ?? OVER_MS,
  deleting: (attempt: number): number => Math.round(FIRST_PAUSE_MS * GROWTH ** Math.min(attempt, MAX_ATTEMPTS)),
} as const
const COMING_MS: readonly number[] = [4_000, 4_000, 8_000, 8_000]
/** A pause that ends the chain. */
const OVER_MS = 60_000
/** The longest pause of a chain. Longer waits are left to the resync timer, which runs every minute by default. */
const LAST_PAUSE: DurationMs = durationMs(30_000)

/** The number of looks of the longest chain that finds nothing to do, with the first look. The pauses grow from one second to the longest pause. */
export const MAX_ATTEMPTS = Math.ceil(Math.log(LAST_PAUSE / FIRST_PAUSE_MS) / Math.log(GROWTH)) + 1

export type NextRequeue = {
  readonly at: EpochMs
  /** False: a single look at a known time, with no look after it unless it does something. */
  readonly follow: boolean
}

/**
 * The look after a step that asks for another look at a time of its own. `attempt` counts the looks since the last look that did something.
 * Undefined if the step asks for none, or if the resync timer comes sooner.
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
