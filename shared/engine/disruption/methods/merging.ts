/** Finds machines that fewer or cheaper machines can replace together, where no machine can go alone. */
import { addAll } from '../../../base/lists.ts'
import type { Bin } from '../../scheduling/model/nodes/bin.ts'
import { firstThatBinds, type Outcome } from '../../scheduling/relocation/firstThatBinds.ts'
import type { OnNew, RemovalTrial } from '../../scheduling/relocation/relocation.ts'
import { NONE_UNBOUND } from '../../scheduling/relocation/worstFit.ts'
import { bySavingsRatio, type CandidateWithCost, priceOf } from '../candidates/candidate.ts'
import { savingOf } from '../candidates/saving.ts'
import type { Move } from '../moves/move.ts'
import { tooSmall } from '../waves/calm.ts'
import { unbalanced } from './balance.ts'
import { type Consolidating, keep } from './consolidating.ts'
import { gainOf, podsOnIdle } from './idleMachines.ts'
import { narrowAll } from './narrowing.ts'

/**
 * The sizes of the groups that are tried. Up to 16, the largest come first, since a larger group finds all that a smaller group finds. Larger groups, which
 * move many pods, come last, for machines that no smaller group takes. No move of Karpenter takes more than 100 machines. Set on the first clusters of
 * `test/generators/scaledIn.ts`: without the larger groups, on-demand clusters end at 1.011 of the price of Karpenter's methods, and with them at 0.994. Tried
 * first, they make clusters with spot 4 % dearer.
 */
const TOGETHER = [16, 8, 4, 2, 100, 64, 32]

/** Tries neighbours in the order of candidates together: the machines that save most for the cost of moving them come first. */
export function mergeMachines(left: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const moves: Move[] = []
  const mayGo = (each: CandidateWithCost): boolean => consolidating.wave.refusal([each], 'Underutilized') === undefined
  let waiting = left.filter((each) => each.choice?.price !== undefined && mayGo(each)).sort(bySavingsRatio)
  // A group twice as large as all machines is the same as the next one.
  for (const size of TOGETHER.filter((each) => each < 2 * waiting.length)) {
    const kept: CandidateWithCost[] = []
    for (let from = 0; from < waiting.length; from += size) {
      const near = waiting.slice(from, from + size)
      const group = goingTogether(near, consolidating)
      const tried = group.length < 2 ? undefined : tryTogether(group, consolidating, group.length - 1)
      if (tried !== undefined) moves.push(keep(tried.move, tried.trial, consolidating))
      addAll(kept, tried === undefined ? near : near.filter((each) => !group.includes(each)))
    }
    waiting = kept
  }
  return moves
}

/** The machines that budgets let go together, taken in their order. */
export function goingTogether(machines: readonly CandidateWithCost[], { wave }: Consolidating): readonly CandidateWithCost[] {
  const going: CandidateWithCost[] = []
  for (const each of machines) if (wave.refusal([...going, each], 'Underutilized') === undefined) going.push(each)
  return going
}

export type Tried = { readonly move: Move; readonly trial: RemovalTrial }

/**
 * Closes the machines together, with at most `most` machines in their place. The pods bind in any order. The caller keeps or undoes the result.
 * Undefined if the machines cannot go.
 */
export function tryTogether(group: readonly CandidateWithCost[], consolidating: Consolidating, most = group.length): Tried | undefined {
  if (group.length === 0 || consolidating.wave.refusal(group, 'Underutilized') !== undefined) return undefined
  return firstThatBinds(
    (onNew) => tryOnce(group, consolidating, most, onNew),
    (tried) => tried !== undefined,
  )
}

function tryOnce(
  group: readonly CandidateWithCost[],
  consolidating: Consolidating,
  most: number,
  onNew: OnNew,
): Outcome<Tried | undefined> {
  const { relocation, wave, totals, settings } = consolidating
  const machines = group.map(({ machine }) => machine)
  const trial = relocation().close(machines, { onNew })
  const move = mergeOf(group, trial, most)
  const isGood = (each: Move): boolean => {
    const gain = gainOf(each, trial, consolidating) ?? 0
    if (gain <= 0 || tooSmall({ ...each, saving: gain }, settings) !== undefined) return false
    return wave.tooMany(each) === undefined && unbalanced(group, gain, totals) === undefined
  }
  let unbound = NONE_UNBOUND
  if (move !== undefined && isGood(move)) {
    unbound = trial.unbound()
    if (unbound.size === 0) return { answer: { move, trial } }
  } else if (move !== undefined) unbound = podsOnIdle(move, trial, consolidating)
  trial.undo()
  return unbound.size > 0 ? { unbound } : { answer: undefined }
}

function mergeOf(group: readonly CandidateWithCost[], trial: RemovalTrial, most: number): Move | undefined {
  const { nodeCost } = trial
  const price = group.reduce((sum, each) => sum + priceOf(each) + nodeCost, 0)
  const isPlaced = trial.unplaced().length === 0
  if (!isPlaced && (trial.least() >= price || !trial.open(price - 1))) return undefined
  const bins = trial.bins()
  if (!isPlaced && (bins.length > most || !isNarrowed(bins, group, price, nodeCost))) return undefined
  const replacements = trial.claims()
  const saving = replacements === undefined ? undefined : savingOf(group, replacements)
  if (replacements === undefined || saving === undefined || saving <= 0) return undefined
  return { reason: 'Underutilized', candidates: group, replacements, saving }
}

function isNarrowed(bins: readonly Bin[], group: readonly CandidateWithCost[], price: number, nodeCost: number): boolean {
  const isSpotOnly = group.every(({ choice }) => choice?.capacityType === 'spot')
  const sizesLeaving = bins.length === 1 ? cheapestBySize(group, nodeCost) : undefined
  return narrowAll(bins, { below: price, isSpotOnly, isSingle: false, ...(sizesLeaving && { sizesLeaving }) }).kind === 'narrowed'
}

function cheapestBySize(group: readonly CandidateWithCost[], nodeCost: number): ReadonlyMap<string, number> {
  const cheapest = new Map<string, number>()
  for (const { choice } of group) {
    if (choice?.price === undefined) continue
    const price = choice.price + nodeCost
    cheapest.set(choice.size, Math.min(price, cheapest.get(choice.size) ?? price))
  }
  return cheapest
}
