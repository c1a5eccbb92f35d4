import { Fault, problem } from './problem.ts'
import type { EpochMs } from './units.ts'

/** How a leader of the shim became leader: when it acquired the lease, and how often the lease had changed hands. */
type Acquired = { readonly acquiredAt: number; readonly transitions: number }

/** How far a term may begin ahead of the app's clock. Clocks of nodes may be wrong, but their error must have a bound. */
const MOST_AHEAD_MS = 24 * 60 * 60_000
const MOST_TRANSITIONS = 999

/**
 * Returns the term: the time of acquiring in milliseconds, which grows from leader to leader, times 1000, plus the transitions. About 1.8e15 today,
 * exact up to 9e15.
 */
export function termOf({ acquiredAt, transitions }: Acquired): number {
  return acquiredAt * 1000 + (transitions % (MOST_TRANSITIONS + 1))
}

/** Returns the earliest time of acquiring that gives a term later than this one. */
export function acquiredAfter(term: number): number {
  return Math.floor(term / 1000) + 1
}

/**
 * Throws a Fault for a record whose term is not acceptable. An old term is over. Its objects are not lost, since the newer term began with all
 * objects that exist. A term in the far future would leave no numbers for later leaders. The term right after the newest is always accepted, so that
 * the next leader gets in, whatever the current term is.
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
