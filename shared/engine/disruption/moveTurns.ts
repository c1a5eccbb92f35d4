/**
 * The turns of machines. Trying out where pods would go costs work. So one decision tries as many machines as its steps allow, and the next
 * decision goes on behind them.
 */
import { byText, inOrder } from '../../base/order.ts'
import type { Reason } from '../../model/decision.ts'
import type { DisruptionCursor } from '../../model/disruptionCursor.ts'
import { type CandidateWithCost, priceOf, reasonOf } from './candidate.ts'
import { driftedSince, isDrifted } from './drift.ts'

/** The most machines that one decision tries. */
const MOST_TRIED = 256
/** The number of machines that are tried before the steps are checked again. */
const AT_ONCE = 16
/** The most steps for all tries of one decision, in looks at a shape. */
export const MOST_STEPS = 400_000

type Turn = { readonly candidate: CandidateWithCost; readonly turn: DisruptionCursor }

const inTurn = inOrder<DisruptionCursor>(
  (first, second) => Number(second.isDrifted) - Number(first.isDrifted),
  (first, second) => first.rank - second.rank,
  (first, second) => byText(first.claim, second.claim),
)

export type Turns = {
  /** Machines that may be tried now, in their order. */
  readonly now: readonly CandidateWithCost[]
  /** Machines behind the machines in `now`. */
  readonly later: readonly CandidateWithCost[]
  /** Machines that had their turn in an earlier decision. */
  readonly before: readonly CandidateWithCost[]
}

/** Puts the candidates in order and splits them at `last`, the last machine that the decision before tried. */
export function turnsAfter(last: DisruptionCursor | undefined, candidates: readonly CandidateWithCost[]): Turns {
  const turns = candidates
    .map((candidate): Turn => ({ candidate, turn: turnOf(candidate) }))
    .sort((one, other) => inTurn(one.turn, other.turn))
  const isBehind = ({ turn }: Turn): boolean => last === undefined || inTurn(turn, last) > 0
  const behind = turns.filter(isBehind).map(({ candidate }) => candidate)
  const before = turns.filter((each) => !isBehind(each)).map(({ candidate }) => candidate)
  return { now: behind.slice(0, MOST_TRIED), later: behind.slice(MOST_TRIED), before }
}

/** The last machine that had its turn. Undefined if no machine is left behind it. */
export function lastTurn({ now, later }: Turns, waiting: ReadonlySet<CandidateWithCost>): DisruptionCursor | undefined {
  if (waiting.size === 0 && later.length === 0) return undefined
  const first = now.findIndex((each) => waiting.has(each))
  const last = first < 0 ? now.at(-1) : now[first - 1]
  return last === undefined ? undefined : turnOf(last)
}

/**
 * Tries the machines in groups: the first in any case, more until the steps are used up. Returns the machines that are left for the next decision.
 */
export function tryInTurn(
  machines: readonly CandidateWithCost[],
  spent: () => number,
  attempt: (group: readonly CandidateWithCost[]) => void,
): readonly CandidateWithCost[] {
  for (let from = 0; from < machines.length; from += AT_ONCE) {
    if (from > 0 && spent() > MOST_STEPS) return machines.slice(from)
    attempt(machines.slice(from, from + AT_ONCE))
  }
  return []
}

function turnOf(candidate: CandidateWithCost): DisruptionCursor {
  const { claim, cost } = candidate
  return isDrifted(candidate)
    ? { isDrifted: true, rank: driftedSince(candidate), claim: claim.name }
    : { isDrifted: false, rank: -priceOf(candidate) / cost, claim: claim.name }
}

export function waitsForItsTurn({ claim }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.DEADLINE', 'the decision reached its limit of nodes to try; a later decision tries this node')
}
