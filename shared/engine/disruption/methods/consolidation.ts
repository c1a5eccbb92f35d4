/** Consolidation of machines whose pods fit elsewhere or on something cheaper. Machines that need no replacement are tried first. */

import type { Reason } from '../../../model/decision.ts'
import { formatPrice, microUsdPerHour } from '../../../model/units.ts'
import { type Closing, firstThatBinds, type RemovalTrial } from '../../scheduling/relocation/relocation.ts'
import { LEAST_SPOT_SIZES, type Narrowed } from '../../scheduling/relocation/replacement.ts'
import { NONE_UNBOUND, type Unbound } from '../../scheduling/relocation/worstFit.ts'
import { type CandidateWithCost, mayNotBind, priceOf, reasonOf, savingOf } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import { tooSmall } from '../waves/calm.ts'
import { gainOf, podsOnIdle } from './emptiness.ts'
import { buysDear, type Consolidating, keep, LEAST_SCORE, narrowAll, unbalanced } from './merging.ts'

/** The most machines that may replace one. With more, a cluster would get ever more and ever smaller nodes. */
const MOST_FOR_ONE = 2

/** The result of a try: a move, or the reason against it. Final: later tries of the decision have less room and cannot succeed either. */
type TryResult = { readonly move: Move } | { readonly against: Reason; readonly isFinal?: true }

/** Returns the moves that need no replacement, and the machines that are left for other tries. */
export function deleteNodes<Each extends CandidateWithCost>(
  candidates: readonly Each[],
  consolidating: Consolidating,
): { readonly moves: readonly Move[]; readonly left: readonly Each[] } {
  const moves: Move[] = []
  const left = candidates.filter((candidate) => {
    if (consolidating.relocation().isStuck(candidate.machine)) return true
    const result = tryOut(candidate, consolidating, deleteOf)
    if ('move' in result) moves.push(result.move)
    else if (result.isFinal === true) consolidating.refuse(result.against)
    return !('move' in result) && result.isFinal !== true
  })
  return { moves, left }
}

/** Returns the moves that replace one machine with something cheaper. */
export function replaceNodes(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  return candidates.flatMap((candidate) => {
    const result = tryOut(candidate, consolidating, replaceOf)
    if ('move' in result) return [result.move]
    consolidating.refuse(result.against)
    return []
  })
}

/** Returns the move of this machine alone, with or without a cheaper replacement. Undefined if it stays. No reason is reported. */
export function moveNode(candidate: CandidateWithCost, consolidating: Consolidating): Move | undefined {
  const result = tryOut(candidate, consolidating, deleteOrReplace)
  return 'move' in result ? result.move : undefined
}

function deleteOrReplace(candidate: CandidateWithCost, trial: RemovalTrial): TryResult {
  const deleted = deleteOf(candidate, trial)
  return 'move' in deleted ? deleted : replaceOf(candidate, trial)
}

type Try = (candidate: CandidateWithCost, trial: RemovalTrial) => TryResult

function tryOut(candidate: CandidateWithCost, consolidating: Consolidating, attempt: Try): TryResult {
  const held = consolidating.wave.refusal([candidate], 'Underutilized')
  if (held !== undefined) return { against: held }
  if (attempt === deleteOf) return tryOnce(candidate, consolidating, deleteOf, {}).answer
  let first: TryResult | undefined
  const bound = firstThatBinds((onNew) => {
    const { unbound, answer } = tryOnce(candidate, consolidating, attempt, { onNew })
    first ??= answer
    return unbound.size > 0 ? { unbound } : { answer }
  }, isMove)
  return bound ?? first ?? { against: mayNotBind(candidate) }
}

function isMove(result: TryResult): boolean {
  return 'move' in result
}

/** A try in one way. `unbound`: pods for which another way may be found. The answer is then the reason against this one. */
type Once = { readonly answer: TryResult; readonly unbound: Unbound }

function tryOnce(candidate: CandidateWithCost, consolidating: Consolidating, attempt: Try, way: Closing): Once {
  const trial = consolidating.relocation().close([candidate.machine], way)
  const fitting = trial.unplaced().length === 0 ? deleteOf : attempt
  const found = fitting(candidate, trial)
  const onIdle = 'move' in found ? podsOnIdle(found.move, trial, consolidating) : NONE_UNBOUND
  const result = onIdle.size > 0 ? { against: onlyOnIdle(candidate) } : judged(found, candidate, consolidating, trial)
  const unbound = 'move' in result ? trial.unbound() : onIdle
  if ('move' in result && unbound.size === 0) return { answer: { move: keep(result.move, trial, consolidating) }, unbound }
  trial.undo()
  return { answer: 'move' in result ? { against: mayNotBind(candidate) } : result, unbound }
}

/** Checks the move against the calm settings and the policy Balanced of its pools as well. */
function judged(
  result: TryResult,
  candidate: CandidateWithCost,
  { totals, settings, wave, idle, prices }: Consolidating,
  trial: RemovalTrial,
): TryResult {
  if (!('move' in result)) return result
  if (buysDear(trial, { prices })) return { against: tooDear(candidate) }
  const { claim } = candidate
  const { candidates, saving } = result.move
  const gain = gainOf(result.move, trial, { idle, wave })
  if (gain !== saving && (gain ?? 0) <= 0) return { against: onlyOnIdle(candidate) }
  const small = tooSmall({ ...result.move, saving: gain }, settings)
  if (small !== undefined) return { against: reasonOf(claim, 'DISRUPTION.CALM', small) }
  const tooMany = wave.tooMany(result.move)
  if (tooMany !== undefined) return { against: tooMany }
  const refused = unbalanced(candidates, gain ?? 0, totals)
  if (refused === undefined) return result
  const score = Math.round(refused.score * 100) / 100
  const message = `consolidationPolicy of nodepool ${refused.pool.name} is Balanced: the move scores ${score}, at least ${LEAST_SCORE} is required`
  return { against: reasonOf(claim, 'DISRUPTION.BALANCE', message, { score, least: LEAST_SCORE }) }
}

function deleteOf(candidate: CandidateWithCost, trial: RemovalTrial): TryResult {
  const [pod] = trial.unplaced()
  if (pod === undefined) {
    return { move: { reason: 'Underutilized', candidates: [candidate], replacements: [], saving: candidate.choice?.price } }
  }
  const { choice } = candidate
  if (choice?.price !== undefined && trial.least() >= choice.price + trial.nodeCost) return { against: tooDear(candidate), isFinal: true }
  return { against: reasonOf(candidate.claim, 'DISRUPTION.NO_ROOM', `pod ${pod.key} of it fits on no other node`) }
}

function replaceOf(candidate: CandidateWithCost, trial: RemovalTrial): TryResult {
  const { claim, choice } = candidate
  if (choice?.price === undefined)
    return { against: reasonOf(claim, 'DISRUPTION.NO_PRICE', 'the price of the node is unknown, so no node is known to be cheaper') }
  const below = choice.price + trial.nodeCost
  if (!trial.open(below - 1)) return { against: tooDear(candidate) }
  const bins = trial.bins()
  if (bins.length === 0 || bins.length > MOST_FOR_ONE) return { against: tooDear(candidate) }
  const narrowed = narrowAll(bins, { below, isSpotOnly: choice.capacityType === 'spot', isSingle: true })
  if (narrowed.kind !== 'narrowed') return { against: whyNotCheaper(candidate, narrowed) }
  const replacements = trial.claims() ?? []
  const saving = savingOf([candidate], replacements) ?? 0
  if (replacements.length === 0 || saving <= 0) return { against: tooDear(candidate) }
  return { move: { reason: 'Underutilized', candidates: [candidate], replacements, saving } }
}

function whyNotCheaper(candidate: CandidateWithCost, narrowed: Exclude<Narrowed, { readonly kind: 'narrowed' }>): Reason {
  const { claim } = candidate
  switch (narrowed.kind) {
    case 'dear':
      return tooDear(candidate)
    case 'minValues':
      return reasonOf(claim, 'DISRUPTION.NO_SAVING', 'the cheaper instance types have fewer values than minValues of the nodepool requires')
    case 'spot': {
      const message = `${narrowed.sizes} cheaper spot instance types fit, at least ${LEAST_SPOT_SIZES} are required`
      return reasonOf(claim, 'DISRUPTION.SPOT', message, { sizes: narrowed.sizes, least: LEAST_SPOT_SIZES })
    }
  }
}

function onlyOnIdle(candidate: CandidateWithCost): Reason {
  const message = 'its pods fit only on nodes without pods that go once budgets let them, and that cost as much'
  return reasonOf(candidate.claim, 'DISRUPTION.NO_SAVING', message, { microUsdPerHour: priceOf(candidate) })
}

function tooDear(candidate: CandidateWithCost): Reason {
  const price = priceOf(candidate)
  const message = `its pods fit on no other nodes, and no new node below ${formatPrice(microUsdPerHour(price))} fits them`
  return reasonOf(candidate.claim, 'DISRUPTION.NO_SAVING', message, { microUsdPerHour: price })
}
