/**
 * Drift: machines that are no longer what their pool asks for. Each goes as soon as its pods, and the room that buffers have on it, have another
 * place, at any price. Room that can be nowhere else is given up, since a buffer must not keep the machine.
 */
import { byText, inOrder } from '../../../base/lists.ts'
import { findCondition, isTrue } from '../../../model/condition.ts'
import type { CreateClaim, Reason } from '../../../model/decision.ts'
import { DRIFTED } from '../../../model/nodeClaim.ts'
import {
  type Closing,
  firstThatBinds,
  type OnNew,
  type Outcome,
  type Relocation,
  type RemovalTrial,
} from '../../scheduling/relocation/relocation.ts'
import { NONE_UNBOUND } from '../../scheduling/relocation/worstFit.ts'
import { type CandidateWithCost, isGraced, mayNotBind, reasonOf, savingOf } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import type { Wave } from '../waves/wave.ts'

export function isDrifted({ claim }: Pick<CandidateWithCost, 'claim'>): boolean {
  return isTrue(claim.status.conditions, DRIFTED)
}

const longestDrifted = inOrder<CandidateWithCost>(
  (first, second) => driftedSince(first) - driftedSince(second),
  (first, second) => byText(first.claim.name, second.claim.name),
)

/** When the machine drifted, in milliseconds since the epoch. 0 if unknown. */
export function driftedSince({ claim }: Pick<CandidateWithCost, 'claim'>): number {
  return findCondition(claim.status.conditions, DRIFTED)?.lastTransitionAt ?? 0
}

/** Moves of drifted machines without pods, where no buffer has room. They need no plan. */
export function endDrifted(drifted: readonly CandidateWithCost[], wave: Wave, refuse: (reason: Reason) => void): readonly Move[] {
  return eachInOrder(drifted, wave, refuse, (candidate) => ({
    reason: 'Drifted',
    candidates: [candidate],
    replacements: [],
    saving: candidate.choice?.price,
  }))
}

/** Moves of drifted machines with pods or with room of buffers. A machine that cannot go does not hold up the others. */
export function replaceDrifted(
  drifted: readonly CandidateWithCost[],
  relocation: () => Relocation,
  wave: Wave,
  refuse: (reason: Reason) => void,
): readonly Move[] {
  return eachInOrder(drifted, wave, refuse, (candidate) => replaced(candidate, relocation(), wave, refuse))
}

function eachInOrder(
  drifted: readonly CandidateWithCost[],
  wave: Wave,
  refuse: (reason: Reason) => void,
  moveOf: (candidate: CandidateWithCost) => Move | undefined,
): readonly Move[] {
  const moves: Move[] = []
  for (const candidate of drifted.toSorted(longestDrifted)) {
    const refusal = wave.refusal([candidate], 'Drifted')
    if (refusal !== undefined) refuse(refusal)
    const move = refusal === undefined ? moveOf(candidate) : undefined
    if (move === undefined) continue
    wave.take([candidate], move)
    moves.push(move)
  }
  return moves
}

function replaced(candidate: CandidateWithCost, relocation: Relocation, wave: Wave, refuse: (reason: Reason) => void): Move | undefined {
  const places = placesEver(candidate, relocation, wave)
  if ('against' in places) {
    refuse(places.against)
    return undefined
  }
  const { trial, replacements } = places
  const tooMany = wave.tooMany({ reason: 'Drifted', candidates: [candidate], replacements })
  if (tooMany !== undefined) {
    trial.undo()
    refuse(tooMany)
    return undefined
  }
  const onto = [...trial.receivingMachines()]
  wave.fill(onto)
  trial.keep()
  return { reason: 'Drifted', candidates: [candidate], replacements, saving: savingOf([candidate], replacements), receivingMachines: onto }
}

type Places = { readonly trial: RemovalTrial; readonly replacements: readonly CreateClaim[] } | { readonly against: Reason }

/**
 * Finds places that the pods have at once, or else places that they have once all of them have left: kube-scheduler counts a zone until its last node is
 * gone. Pods that wait for each other must be able to leave together. A PodDisruptionBudget that forbids it would hold the drain for ever.
 */
function placesEver(candidate: CandidateWithCost, relocation: Relocation, wave: Wave): Places {
  const atOnce = placesFor(candidate, relocation, { leaving: 'podsAndRoom' })
  const isAtOnce = 'trial' in atOnce && !atOnce.trial.beginsElsewhere()
  if (isAtOnce) return atOnce
  const places = 'trial' in atOnce ? atOnce : placesFor(candidate, relocation, { leaving: 'podsAndRoom', afterAll: true })
  if ('against' in places) return atOnce
  const budget = isGraced(candidate) ? undefined : wave.heldBackBy(candidate)
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

function placesIn(trial: RemovalTrial, candidate: CandidateWithCost): Outcome<Places> {
  const isPlaced = trial.unplaced().length === 0 || trial.open(Number.POSITIVE_INFINITY)
  const replacements = isPlaced ? trial.claims() : undefined
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
