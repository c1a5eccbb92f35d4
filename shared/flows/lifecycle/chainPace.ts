import type { ClaimStep } from '../../model/claimStep.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/**
 * A claim is followed by a chain of delayed messages that fades: each look that finds nothing done by itself waits longer for the next,
 * and once it would wait for longer than half a minute, the chain is over and the resync timer goes on. A look that did something begins its
 * chain anew. What was done is a write guarded by the object's version, so of several looks beside each other one did it.
 *
 * That is why nothing has to remember which chain is the claim's own. A message delivered twice, a crash between a step and the end of its
 * message, or two processes that both end a claim give it a second chain for about two minutes and at most `LOOKS_OF_A_CHAIN` looks; a message
 * that is lost costs at most one period of the timer. No process has to know of another, and nothing has to be cleaned up.
 */
const FIRST_PAUSE_MS = 1_000
const GROWTH = 1.25
/**
 * A claim on its way in is told by the watch what it waits for: its node. Its chain only finds a machine that Azure gave up after it had taken the request,
 * so each pause is three times the one before: it looks 6 and 24 seconds after the launch. A claim that is being deleted waits for pods, whose deletion no message tells.
 */
const PACES = {
  coming: { first: 6_000, growth: 3 },
  deleting: { first: FIRST_PAUSE_MS, growth: GROWTH },
} as const
/** Longest pause of a chain. What takes longer is left to the resync timer, which runs every minute by default. */
const LAST_PAUSE: DurationMs = durationMs(30_000)

/** Looks of the longest chain that finds nothing to do, the first included: the pauses grow from one second to the longest. */
export const LOOKS_OF_A_CHAIN = Math.ceil(Math.log(LAST_PAUSE / FIRST_PAUSE_MS) / Math.log(GROWTH)) + 1

export type NextLook = {
  readonly at: EpochMs
  /** False: one look at a known time, which nobody follows unless it does something. */
  readonly follow: boolean
}

/**
 * The look after one that asks for another at the step's time, `attempt` looks after the last one that did something. Undefined: the
 * resync timer is sooner.
 */
export function nextLookOf(
  { wakeAt, dueAt }: ClaimStep,
  { attempt, pace }: { readonly attempt: number; readonly pace: keyof typeof PACES },
  now: EpochMs,
): NextLook | undefined {
  if (wakeAt === undefined) return undefined
  const paced = Math.max(wakeAt, now + pauseAfter(attempt, PACES[pace]))
  const at = epochMs(Math.max(now, Math.min(paced, dueAt ?? paced)))
  if (at > later(now, LAST_PAUSE)) return undefined
  return { at, follow: attempt < LOOKS_OF_A_CHAIN - 1 && paced <= later(now, LAST_PAUSE) }
}

function pauseAfter(attempt: number, { first, growth }: (typeof PACES)[keyof typeof PACES]): number {
  return Math.round(first * growth ** Math.min(attempt, LOOKS_OF_A_CHAIN))
}
