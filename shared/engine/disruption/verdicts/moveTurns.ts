/**
 * The turns of machines. Trying out where pods would go costs work. So one decision tries as many machines as its steps allow, and the next
 * decision goes on behind them.
 */
import { byText, differences, inOrder } from '../../../base/lists.ts'
import type { DisruptionCursor, Reason } from '../../../model/decision.ts'
import type { TryChanges, TryReads } from '../../scheduling/relocation/tryReads.ts'
import { type CandidateWithCost, priceOf } from '../candidates/candidate.ts'
import type { Trial } from '../candidates/trial.ts'
import { driftedSince, isDrifted } from '../methods/drift.ts'
import type { KeptCandidate } from './verdicts.ts'

/** The most machines that one decision tries, unless there are few candidates. */
const MOST_TRIED = 128
/** The number of machines that are tried before the steps are checked again. */
const AT_ONCE = 16
/**
 * Up to so many candidates, a decision tries all machines of its turn together: groups of many machines save more, and one takes up to half a second.
 */
export const FEW_CANDIDATES = 512
/** The most steps for all tries of one decision, in looks at a shape. */
export const MOST_STEPS = 400_000

export const inTurn = inOrder<DisruptionCursor>(
  (first, second) => Number(second.isDrifted) - Number(first.isDrifted),
  (first, second) => first.rank - second.rank,
  (first, second) => byText(first.claim, second.claim),
)

export const byTurn = inOrder<Omit<InTurn, 'trial'>>(
  (first, second) => inTurn(first.turn, second.turn),
  // Nodes that state the same provider ID share a claim.
  (first, second) => byText(first.machine.name, second.machine.name),
)

export type Turns = {
  /** Machines that may be tried now, in their order. */
  readonly now: readonly KeptCandidate[]
  /** True if no machine is behind those in `now`. */
  readonly isLast: boolean
}

/** Splits the candidates at `last`, the last machine that the decision before tried. They are in the order of their turns. */
export function turnsAfter(last: DisruptionCursor | undefined, candidates: readonly KeptCandidate[]): Turns {
  const from = last === undefined ? 0 : placeAfter(candidates, last)
  // Few candidates all have their turn at once: which of them stay depends on all of them.
  const end = from + (candidates.length <= FEW_CANDIDATES ? FEW_CANDIDATES : MOST_TRIED)
  return { now: candidates.slice(from, end), isLast: end >= candidates.length }
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
export function lastTurn({ now, isLast }: Turns, waiting: ReadonlySet<KeptCandidate>): DisruptionCursor | undefined {
  if (waiting.size === 0 && isLast) return undefined
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

type WithTrial = Pick<KeptCandidate, 'trial'>

/** A look at machines. `limits`: what budgets and policies allow them, as text. */
export type TriedLook = { readonly now: readonly WithTrial[]; readonly isLast: boolean; readonly limits: string }

/** The result of a look that moves nothing. `waiting`: the places in `now` of machines that had no turn. */
export type NothingToGain = { readonly reasons: readonly Reason[]; readonly waiting: readonly number[] }

type InTurn = Pick<KeptCandidate, 'trial' | 'turn'> & { readonly machine: Pick<KeptCandidate['machine'], 'name'> }

/** The machines that decide where pods may go, and in what order. Both lists are in the order of turns. */
export type Standing = {
  /** Machines that may go. */
  readonly goers: readonly InTurn[]
  /** Machines that take no pods, since they wait to be quiet. */
  readonly restless: readonly InTurn[]
}

/**
 * Looks that tried machines and found nothing to gain. A later look at the same machines ends alike while nothing has changed that its tries read: it
 * then costs nothing. A look that is found here has the result that the tries would have.
 */
export interface TriedLooks {
  /** Finds the result of the look, and forgets the looks that may end differently now. `changes`: undefined if no result stands. */
  find(look: TriedLook, standing: Standing, changes: TryChanges | undefined): NothingToGain | undefined
  keep(look: TriedLook, result: NothingToGain, reads: TryReads): void
}

type Kept = {
  readonly trials: readonly Trial[]
  readonly isLast: boolean
  readonly limits: string
  readonly result: NothingToGain
  readonly reads: TryReads
}

/** The most looks that are kept, so that rounds that begin at other machines for months do not fill the memory. */
const MOST_LOOKS = 512

export function createTriedLooks(): TriedLooks {
  /** By the first machine of the look. */
  const looks = new Map<Trial, Kept>()
  let last: Standing = { goers: [], restless: [] }

  function see(standing: Standing, changes: TryChanges | undefined): void {
    const moved = new Set([...differing(last.goers, standing.goers), ...differing(last.restless, standing.restless)])
    last = standing
    if (changes === undefined) looks.clear()
    const names = [...moved].map(({ node }) => node)
    // Few machines move between two looks, and a look has many trials.
    const hasMoved = (trials: readonly Trial[]): boolean =>
      moved.size < AT_ONCE ? [...moved].some((each) => trials.includes(each)) : trials.some((trial) => moved.has(trial))
    const isOther = ({ trials, reads }: Kept): boolean => hasMoved(trials) || changes?.stands(reads, names) !== true
    for (const [first, kept] of looks) if (isOther(kept)) looks.delete(first)
  }

  return {
    find({ now, isLast, limits }, standing, changes) {
      see(standing, changes)
      const [first] = now
      const kept = first === undefined ? undefined : looks.get(first.trial)
      if (kept === undefined || kept.isLast !== isLast || kept.limits !== limits || changes?.hasSamePools(kept.reads) !== true)
        return undefined
      const isSame = kept.trials.length === now.length && now.every(({ trial }, at) => trial === kept.trials[at])
      return isSame ? kept.result : undefined
    },
    keep({ now, isLast, limits }, result, reads) {
      const trials = now.map(({ trial }) => trial)
      const [first] = trials
      if (first === undefined) return
      const [oldest] = looks.keys()
      if (looks.size >= MOST_LOOKS && oldest !== undefined) looks.delete(oldest)
      looks.delete(first)
      looks.set(first, { trials, isLast, limits, result, reads })
    },
  }
}

/** The trials that are in one of the lists only. Candidates of different lists may have the same trial. */
function differing(first: readonly InTurn[], second: readonly InTurn[]): readonly Trial[] {
  const { gone, come } = differences(first, second, byTurn)
  const [before, after] = [gone, come].map((part) => new Set(part.map(({ trial }) => trial)))
  if (before === undefined || after === undefined) return []
  return [...[...before].filter((each) => !after.has(each)), ...[...after].filter((each) => !before.has(each))]
}
