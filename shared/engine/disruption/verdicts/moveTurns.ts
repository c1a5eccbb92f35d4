/**
 * The turns of machines. Trying out where pods would go costs work. So one decision tries as many machines as its steps allow, and the next
 * decision goes on behind them.
 */
import { byText, inOrder } from '../../../base/order.ts'
import type { DisruptionCursor } from '../../../model/disruptionCursor.ts'
import { type CandidateWithCost, priceOf } from '../candidates/candidate.ts'
import type { KeptCandidate } from '../candidates/keptCandidate.ts'
import { driftedSince, isDrifted } from '../methods/drift.ts'

/** The most machines that one decision tries. */
const MOST_TRIED = 128
/** The number of machines that are tried before the steps are checked again. */
const AT_ONCE = 16
/** Up to so many candidates, a decision tries all machines of its turn together: groups of many machines save more, and one takes up to half a second. */
const FEW_CANDIDATES = 512
/** The most steps for all tries of one decision, in looks at a shape. */
export const MOST_STEPS = 400_000

export const inTurn = inOrder<DisruptionCursor>(
  (first, second) => Number(second.isDrifted) - Number(first.isDrifted),
  (first, second) => first.rank - second.rank,
  (first, second) => byText(first.claim, second.claim),
)

export type Turns = {
  /** Machines that may be tried now, in their order. */
  readonly now: readonly KeptCandidate[]
  /** Machines behind the machines in `now`. */
  readonly later: readonly KeptCandidate[]
  /** Machines that had their turn in an earlier decision. */
  readonly before: readonly KeptCandidate[]
}

/** Splits the candidates at `last`, the last machine that the decision before tried. They are in the order of their turns. */
export function turnsAfter(last: DisruptionCursor | undefined, candidates: readonly KeptCandidate[]): Turns {
  const from = last === undefined ? 0 : placeAfter(candidates, last)
  const end = from + MOST_TRIED
  return { now: candidates.slice(from, end), later: candidates.slice(end), before: candidates.slice(0, from) }
}

function placeAfter(candidates: readonly KeptCandidate[], last: DisruptionCursor): number {
  let low = 0
  let high = candidates.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = candidates[middle]
    if (other !== undefined && inTurn(other.turn, last) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The last machine that had its turn. Undefined if no machine is left behind it. */
export function lastTurn({ now, later }: Turns, waiting: ReadonlySet<KeptCandidate>): DisruptionCursor | undefined {
  if (waiting.size === 0 && later.length === 0) return undefined
  const first = now.findIndex((each) => waiting.has(each))
  const last = first < 0 ? now.at(-1) : now[first - 1]
  return last?.turn
}

/** The size of the groups in which machines are tried for replacements, if so many machines may go. */
export function groupSizeFor(candidates: number): number {
  return candidates <= FEW_CANDIDATES ? MOST_TRIED : AT_ONCE
}

/**
 * Tries the machines in groups: the first in any case, more until the steps are used up. Returns the machines that are left for the next decision.
 * `atOnce`: the size of a group.
 */
export function tryInTurn(
  machines: readonly KeptCandidate[],
  spent: () => number,
  attempt: (group: readonly KeptCandidate[]) => void,
  atOnce = AT_ONCE,
): readonly KeptCandidate[] {
  for (let from = 0; from < machines.length; from += atOnce) {
    if (from > 0 && spent() > MOST_STEPS) return machines.slice(from)
    attempt(machines.slice(from, from + atOnce))
  }
  return []
}

export function turnOf(candidate: CandidateWithCost): DisruptionCursor {
  const { claim, cost } = candidate
  return isDrifted(candidate)
    ? { isDrifted: true, rank: driftedSince(candidate), claim: claim.name }
    : { isDrifted: false, rank: -priceOf(candidate) / cost, claim: claim.name }
}
