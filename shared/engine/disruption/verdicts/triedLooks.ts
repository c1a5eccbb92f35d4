/**
 * Looks that tried machines and found nothing to gain. A later look at the same machines ends alike while nothing has changed that its tries read:
 * it then costs nothing. A look that is found here has the result that the tries would have.
 */
import type { Reason } from '../../../model/decision.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { TryChanges, TryReads } from '../../scheduling/relocation/tryReads.ts'
import type { KeptCandidate } from '../candidates/keptCandidate.ts'
import type { Trial } from '../candidates/trial.ts'
import { differingParts } from './waitingReasons.ts'

type WithTrial = Pick<KeptCandidate, 'trial'>

/** A look at machines. `limits`: what budgets and policies allow them, as text. */
export type TriedLook = { readonly now: readonly WithTrial[]; readonly isLast: boolean; readonly limits: string }

/** The result of a look that moves nothing. `waiting`: the places in `now` of machines that had no turn. */
export type NothingToGain = { readonly reasons: readonly Reason[]; readonly waiting: readonly number[] }

/** The machines that decide where pods may go, and in what order. */
export type Standing = {
  /** Machines that may go, in the order of their turns. */
  readonly goers: readonly WithTrial[]
  readonly weighed: readonly (WithTrial & Pick<KeptCandidate, 'quietAt'>)[]
  readonly takenAt: EpochMs
}

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
  let goers: readonly WithTrial[] = []
  let restless: readonly WithTrial[] = []

  function see(standing: Standing, changes: TryChanges | undefined): void {
    const [nextGoers, nextRestless] = [standing.goers, restlessOf(standing)]
    const moved = new Set([...differing(goers, nextGoers), ...differing(restless, nextRestless)])
    goers = nextGoers
    restless = nextRestless
    if (changes === undefined) looks.clear()
    const names = [...moved].map(({ node }) => node)
    const isOther = ({ trials, reads }: Kept): boolean =>
      (moved.size > 0 && trials.some((trial) => moved.has(trial))) || changes?.stands(reads, names) !== true
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

/** Machines that take no pods, since they wait to be quiet. */
function restlessOf({ weighed, takenAt }: Standing): readonly WithTrial[] {
  return weighed.filter(({ quietAt }) => quietAt !== undefined && quietAt > takenAt)
}

/** The trials that are in one of the lists only. Lists of decisions that follow one another have nearly all machines in the same order. */
function differing(first: readonly WithTrial[], second: readonly WithTrial[]): readonly Trial[] {
  const [before, after] = differingParts(first, second).map((part) => part.map(({ trial }) => trial))
  if (before === undefined || after === undefined || (before.length === after.length && before.every((each, at) => each === after[at])))
    return []
  const [ofBefore, ofAfter] = [new Set(before), new Set(after)]
  return [...before.filter((each) => !ofAfter.has(each)), ...after.filter((each) => !ofBefore.has(each))]
}
