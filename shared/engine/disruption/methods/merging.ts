/** Finds machines that fewer or cheaper machines can replace together, where no machine can go alone. */
import { addAll } from '../../../base/lists.ts'
import type { DecisionSettings } from '../../../model/clusterSnapshot.ts'
import type { Reason } from '../../../model/decision.ts'
import { allocatableOfType } from '../../../model/instanceType.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { type Bin, cheapestOf } from '../../scheduling/model/nodes/bin.ts'
import { firstThatBinds, type OnNew, type Outcome, type Relocation, type RemovalTrial } from '../../scheduling/relocation/relocation.ts'
import { type Narrowed, narrowByPrice, type PriceRule } from '../../scheduling/relocation/replacement.ts'
import { NONE_UNBOUND } from '../../scheduling/relocation/worstFit.ts'
import { bySavingsRatio, type CandidateWithCost, priceOf, rescheduleCost, savingOf } from '../candidates/candidate.ts'
import { isDearAt, type RoomPrices } from '../candidates/roomPrices.ts'
import type { Move } from '../moves/move.ts'
import { tooSmall } from '../waves/calm.ts'
import type { Wave } from '../waves/wave.ts'
import { gainOf, type IdleMachines, podsOnIdle } from './emptiness.ts'

/**
 * The sizes of the groups that are tried. Up to 16, the largest come first, since a larger group finds all that a smaller group finds. Larger groups,
 * which move many pods, come last, for machines that no smaller group takes. No move of Karpenter takes more than 100 machines. Set on the first
 * clusters of `test/generators/scaledIn.ts`: without the larger groups, on-demand clusters end at 1.011 of the price of Karpenter's methods, and with
 * them at 0.994. Tried first, they make clusters with spot 4 % dearer.
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
  const { relocation, wave, totals, settings, leastScore } = consolidating
  const machines = group.map(({ machine }) => machine)
  const trial = relocation().close(machines, { onNew })
  const move = mergeOf(group, trial, most)
  const isGood = (each: Move): boolean => {
    const gain = gainOf(each, trial, consolidating) ?? 0
    if (gain <= 0 || buysDear(trial, consolidating) || tooSmall({ ...each, saving: gain }, settings) !== undefined) return false
    return wave.tooMany(each) === undefined && unbalanced(group, gain, totals, leastScore) === undefined
  }
  let unbound = NONE_UNBOUND
  if (move !== undefined && isGood(move)) {
    unbound = trial.unbound()
    if (unbound.size === 0) return { answer: { move, trial } }
  } else if (move !== undefined) unbound = podsOnIdle(move, trial, consolidating)
  trial.undo()
  return unbound.size > 0 ? { unbound } : { answer: undefined }
}

/** Reports whether the try buys a dear machine though none may be bought. */
export function buysDear(trial: Pick<RemovalTrial, 'bins'>, { prices }: Pick<Consolidating, 'prices'>): boolean {
  return (
    prices !== undefined &&
    trial.bins().some((bin) => {
      const cheapest = cheapestOf(bin)
      return cheapest !== undefined && isDearAt(cheapest.offering, allocatableOfType(cheapest.size.type), prices)
    })
  )
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

/**
 * Narrows replacement claims to sizes that together cost less than the machines that go. Each claim may cost as much as its cheapest size and an
 * equal share of the saving. If a claim is left without sizes, the result is that of the first such claim.
 */
export function narrowAll(bins: readonly Bin[], { below, ...rule }: PriceRule): Narrowed {
  const cheapest = bins.map((bin) => cheapestOf(bin)?.offering.price ?? Number.POSITIVE_INFINITY)
  const share = (below - cheapest.reduce((sum, each) => sum + each, 0)) / bins.length
  if (!(share > 0)) return { kind: 'dear' }
  for (const [at, bin] of bins.entries()) {
    const narrowed = narrowByPrice(bin, { ...rule, below: (cheapest[at] ?? 0) + share })
    if (narrowed.kind !== 'narrowed') return narrowed
  }
  return { kind: 'narrowed' }
}

export type Consolidating = {
  readonly relocation: () => Relocation
  readonly wave: Wave
  readonly totals: (pool: NodePool) => Totals
  readonly idle: IdleMachines
  readonly settings: Pick<DecisionSettings, 'calm'>
  /** The least score of a merge in pools of other policies than Balanced. Undefined: none. */
  readonly leastScore?: number | undefined
  /** Given while no dear machine may be bought: dear machines that are there take no pods either. */
  readonly prices?: RoomPrices | undefined
  readonly refuse: (reason: Reason) => void
  /** Reports whether the steps of the decision are used up. Optional searches end then. */
  readonly isSpent: () => boolean
  /** Functions that take back the kept moves. They are called in reverse order. */
  readonly kept: (() => void)[]
}

/** Begins the move. No other move may count on its machines, nor on the machines that get its pods. */
export function keep(move: Move, trial: RemovalTrial, { wave, kept }: Consolidating): Move {
  wave.take(move.candidates, move)
  const onto = [...trial.receivingMachines()]
  wave.fill(onto)
  kept.push(trial.keep())
  return { ...move, receivingMachines: onto }
}

/** The least score of a move. The share of the pool's disruption that it costs may be twice the share of the pool's price that it saves. */
export const LEAST_SCORE = 0.5

/** The totals of a pool: its price in micro-USD an hour, and the cost of moving everything in it. */
export type Totals = { readonly price: number; readonly cost: number }

export function totalsOf(weighed: readonly CandidateWithCost[], others: Iterable<StateNode>): Totals {
  const own = new Set(weighed.map(({ machine }) => machine))
  let cost = 0
  for (const machine of others) if (!own.has(machine)) cost += rescheduleCost(machine.pods)
  return {
    price: weighed.reduce((sum, each) => sum + priceOf(each), 0),
    cost: weighed.reduce((sum, each) => sum + each.cost, cost),
  }
}

/** The share of the price that is saved, divided by the share of the disruption. 0 if nothing is saved. */
export function scoreOf(saving: number, cost: number, totals: Totals): number {
  const saved = totals.price > 0 ? saving / totals.price : 0
  const disturbed = totals.cost > 0 ? cost / totals.cost : 0
  if (saved <= 0) return 0
  return disturbed === 0 ? Number.POSITIVE_INFINITY : saved / disturbed
}

/**
 * The first pool in which the move saves too little for what it disrupts, and the score. Both are measured as shares of the whole pool. The saving is
 * split between the pools by the price of their machines. Undefined if there is no such pool. `others`: the least score in pools of other policies than
 * Balanced. Undefined: these pools ask for none.
 */
export function unbalanced(
  candidates: readonly CandidateWithCost[],
  saving: number,
  totals: (pool: NodePool) => Totals,
  others?: number,
): { readonly pool: NodePool; readonly score: number } | undefined {
  const price = candidates.reduce((sum, each) => sum + priceOf(each), 0)
  for (const [pool, own] of Map.groupBy(candidates, (each) => each.pool)) {
    const least = pool.disruption.consolidationPolicy === 'Balanced' ? LEAST_SCORE : others
    if (least === undefined) continue
    const ownPrice = own.reduce((sum, each) => sum + priceOf(each), 0)
    const share = own.length === candidates.length ? 1 : price > 0 ? ownPrice / price : 0
    const cost = own.reduce((sum, each) => sum + each.cost, 0)
    const score = scoreOf(saving * share, cost, totals(pool))
    if (score < least) return { pool, score }
  }
  return undefined
}
