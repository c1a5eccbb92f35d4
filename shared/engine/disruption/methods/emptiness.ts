/** Empty machines. They need no plan, and wait for no other move. */

import { byText, inOrder } from '../../../base/order.ts'
import type { Reason } from '../../../model/decision.ts'
import { type CandidateWithCost, priceOf } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import type { Wave } from '../waves/wave.ts'

const dearestFirst = inOrder<CandidateWithCost>(
  (first, second) => priceOf(second) - priceOf(first),
  (first, second) => byText(first.claim.name, second.claim.name),
)

/** Moves of empty machines, the most expensive first, as far as budgets allow. */
export function endEmpty(empty: readonly CandidateWithCost[], wave: Wave, refuse: (reason: Reason) => void): readonly Move[] {
  const moves: Move[] = []
  for (const candidate of empty.toSorted(dearestFirst)) {
    const refusal = wave.refusal([candidate], 'Empty')
    if (refusal !== undefined) {
      refuse(refusal)
      continue
    }
    const move: Move = { reason: 'Empty', candidates: [candidate], replacements: [], saving: candidate.choice?.price }
    wave.take([candidate], move)
    moves.push(move)
  }
  return moves
}
