import { Fault, problem } from './problem.ts'
import type { EpochMs } from './units.ts'

/** How a leader of the shim came to lead: when it got the lease, and how often the lease had changed hands. */
type Acquired = { readonly acquiredAt: number; readonly transitions: number }

/** A term may begin so far ahead of the app's clock: the clocks of nodes need not be right, and what they say must end somewhere. */
const MOST_AHEAD_MS = 24 * 60 * 60_000
const MOST_TRANSITIONS = 999

/** The time of acquiring, which grows from leader to leader, then the transitions: 1.8e15 today, exact up to 9e15. */
export function termOf({ acquiredAt, transitions }: Acquired): number {
  return acquiredAt * 1000 + (transitions % (MOST_TRANSITIONS + 1))
}

/** The earliest time of acquiring that makes a term later than this one. */
export function acquiredAfter(term: number): number {
  return Math.floor(term / 1000) + 1
}

/**
 * Refuses a record whose term may not begin, as a Fault. An old term is over; its objects are not lost, since the term that began since brought
 * all that exist. A term of a far future would leave no number for the leaders after it. The one right after the newest is always taken, so that
 * whatever is in force, the next leader gets in.
 */
export function checkTerm(term: number, newestTerm: number, now: EpochMs): void {
  if (term < newestTerm)
    throw refused('INPUT.OLD_TERM', `term ${term} is over: term ${newestTerm} of another leader has begun; lead again in a later term`)
  const latest = Math.max(now + MOST_AHEAD_MS, acquiredAfter(newestTerm))
  if (term <= termOf({ acquiredAt: latest, transitions: MOST_TRANSITIONS })) return
  throw refused(
    'INPUT.INVALID',
    `term ${term} begins more than a day ahead of the clock of the app: correct the clock of the node where the shim runs`,
  )

  function refused(code: 'INPUT.OLD_TERM' | 'INPUT.INVALID', message: string): Fault {
    return new Fault('append to the cluster log', problem(code, message, { path: 'term', fields: { term, newestTerm } }))
  }
}
