/** Moves of machines that must go at any price: all their pods, and the room that buffers have on them, get another place before. */
import type { CreateClaim, Reason } from '../../../model/decision.ts'
import {
  type Closing,
  firstThatBinds,
  type OnNew,
  type Outcome,
  type Relocation,
  type RemovalTrial,
} from '../../scheduling/relocation/relocation.ts'
import { NONE_UNBOUND } from '../../scheduling/relocation/worstFit.ts'
import { type CandidateWithCost, mayNotBind, reasonOf, savingOf } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import type { Wave } from '../waves/wave.ts'

export type Replacing = Pick<Move, 'reason' | 'repair'> & {
  readonly candidate: CandidateWithCost
  /** True if the drain is bounded, so that no PodDisruptionBudget holds it for ever. */
  readonly isBounded: boolean
}

/** The move of the machine to places that stay and to new claims. Undefined if some pod has none, or if the move may not begin: `refuse` says why. */
export function replaceMachine(
  { candidate, isBounded, ...why }: Replacing,
  relocation: Relocation,
  wave: Pick<Wave, 'heldBackBy' | 'tooMany' | 'fill'>,
  refuse: (reason: Reason) => void,
): Move | undefined {
  const places = placesEver(candidate, relocation, isBounded ? undefined : wave)
  if ('against' in places) {
    refuse(places.against)
    return undefined
  }
  const { trial, replacements } = places
  const tooMany = wave.tooMany({ reason: why.reason, candidates: [candidate], replacements })
  if (tooMany !== undefined) {
    trial.undo()
    refuse(tooMany)
    return undefined
  }
  const onto = [...trial.receivingMachines()]
  wave.fill(onto)
  trial.keep()
  return { ...why, candidates: [candidate], replacements, saving: savingOf([candidate], replacements), receivingMachines: onto }
}

type Places = { readonly trial: RemovalTrial; readonly replacements: readonly CreateClaim[] } | { readonly against: Reason }

/**
 * Finds places that the pods have at once, or else places that they have once all of them have left: kube-scheduler counts a zone until its last node is
 * gone. If neither holds however the scheduler binds the pods, places that they have in one order do: the machine must go, and a pod that finds its
 * place taken gets a machine as any pod that waits. Pods that wait for each other must be able to leave together. A PodDisruptionBudget that forbids it
 * would hold the drain for ever.
 */
function placesEver(candidate: CandidateWithCost, relocation: Relocation, held: Pick<Wave, 'heldBackBy'> | undefined): Places {
  const atOnce = placesFor(candidate, relocation, { leaving: 'podsAndRoom' })
  const isAtOnce = 'trial' in atOnce && !atOnce.trial.beginsElsewhere()
  if (isAtOnce) return atOnce
  const places = 'trial' in atOnce ? atOnce : placesFor(candidate, relocation, { leaving: 'podsAndRoom', afterAll: true })
  if ('against' in places) return inOneOrder(candidate, relocation, held) ?? atOnce
  const budget = held?.heldBackBy(candidate)
  if (budget === undefined) return places
  places.trial.undo()
  const message = `its pods find places only once all of them have left, and poddisruptionbudget ${budget.key} does not let them leave together (disruptionsAllowed: ${budget.disruptionsAllowed})`
  return { against: reasonOf(candidate.claim, 'DISRUPTION.NO_ROOM', message) }
}

/** Finds places that hold however the scheduler binds the pods. If there are none, the room that buffers have on the machine is given up. */
function placesFor(candidate: CandidateWithCost, relocation: Relocation, way: Omit<Closing, 'onNew'>): Places {
  let movesRoom = false
  const attempt = (onNew: OnNew): Outcome<Places> => {
    const trial = relocation.close([candidate.machine], { ...way, onNew })
    movesRoom = trial.movesRoom
    return placesIn(trial, candidate)
  }
  const places = firstThatBinds(attempt, (tried) => 'trial' in tried) ?? { against: mayNotBind(candidate) }
  return 'against' in places && movesRoom ? placesFor(candidate, relocation, { ...way, leaving: 'pods' }) : places
}

const WAYS_IN_ONE_ORDER: readonly Closing[] = [
  { leaving: 'podsAndRoom', onNew: 'all' },
  { leaving: 'pods', onNew: 'all' },
  { leaving: 'pods' },
]

/**
 * Finds places that hold if the scheduler binds the pods as planned: all on new claims, which leaves the others alone, or else wherever they fit. Where
 * pods of other moves are under way, or the limit of checks is reached, a later decision may find places that hold in any order.
 */
function inOneOrder(
  candidate: CandidateWithCost,
  relocation: Relocation,
  held: Pick<Wave, 'heldBackBy'> | undefined,
): Extract<Places, { readonly trial: unknown }> | undefined {
  if (!relocation.isLastResort()) return undefined
  for (const way of WAYS_IN_ONE_ORDER) {
    const trial = relocation.close([candidate.machine], way)
    const replacements = claimsOf(trial)
    const isHeld = trial.beginsElsewhere() && held?.heldBackBy(candidate) !== undefined
    if (replacements !== undefined && !isHeld) return { trial, replacements }
    trial.undo()
  }
  return undefined
}

/** The claims for the pods that no machine takes. Undefined if some pod finds no place. */
function claimsOf(trial: RemovalTrial): readonly CreateClaim[] | undefined {
  const isPlaced = trial.unplaced().length === 0 || trial.open(Number.POSITIVE_INFINITY)
  return isPlaced ? trial.claims() : undefined
}

function placesIn(trial: RemovalTrial, candidate: CandidateWithCost): Outcome<Places> {
  const replacements = claimsOf(trial)
  const unbound = replacements === undefined ? NONE_UNBOUND : trial.unbound()
  if (replacements !== undefined && unbound.size === 0) return { answer: { trial, replacements } }
  const [pod] = trial.unplaced()
  trial.undo()
  if (unbound.size > 0) return { unbound }
  const message =
    pod === undefined
      ? 'no nodeclaim can be created for its pods'
      : `pod ${pod.key} of it fits on no other node, and no nodepool can create one`
  return { answer: { against: reasonOf(candidate.claim, 'DISRUPTION.NO_ROOM', message) } }
}
