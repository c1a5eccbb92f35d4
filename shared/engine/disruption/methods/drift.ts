/**
 * Drift: machines that are no longer what their pool asks for. Each goes as soon as its pods, and the room that buffers have on it, have another
 * place, at any price. Room that can be nowhere else is given up, since a buffer must not keep the machine.
 */
import { byText, inOrder } from '../../../base/lists.ts'
import { findCondition, isTrue } from '../../../model/condition.ts'
import type { Reason } from '../../../model/decision.ts'
import { DRIFTED } from '../../../model/nodeClaim.ts'
import type { Relocation } from '../../scheduling/relocation/relocation.ts'
import { type CandidateWithCost, isGraced } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import type { Wave } from '../waves/wave.ts'
import { replaceMachine } from './replacing.ts'

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
  return eachInOrder(drifted, wave, refuse, (candidate) =>
    replaceMachine({ candidate, reason: 'Drifted', isBounded: isGraced(candidate) }, relocation(), wave, refuse),
  )
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
