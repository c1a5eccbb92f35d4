/** Empty machines. They need no plan, and wait for no other move. */

import { byText, inOrder } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import type { RemovalTrial } from '../../scheduling/relocation/relocation.ts'
import { NONE_UNBOUND, type Unbound } from '../../scheduling/relocation/worstFit.ts'
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

/** Prices in micro-USD an hour, by the names of the machines. */
export type IdleMachines = ReadonlyMap<string, number>

/**
 * Machines without pods that go as soon as budgets let them. They take pods last, and a move that puts pods there pays their price: without the move,
 * the machines would be gone soon. `empty`: machines without pods that nothing protects.
 */
export function idleMachines(empty: readonly CandidateWithCost[], wave: Wave): IdleMachines {
  const idle = empty.filter((each) => !wave.hasTaken(each.machine) && wave.waits(each, 'Empty'))
  return new Map(idle.map((each) => [each.machine.name, priceOf(each)]))
}

type Idling = { readonly idle: IdleMachines; readonly wave: Pick<Wave, 'receives'> }

/** Where the pods of a try go. */
type Places = Pick<RemovalTrial, 'receivingMachines' | 'podsOn'>
type Saving = Pick<Move, 'saving'>

/** What the move saves once the idle machines are gone that get none of its pods. `trial`: the try of the move. */
export function gainOf({ saving }: Saving, trial: Places, { idle, wave }: Idling): number | undefined {
  if (idle.size === 0) return saving
  let kept = 0
  for (const name of trial.receivingMachines()) if (!wave.receives({ name })) kept += idle.get(name) ?? 0
  return kept === 0 ? saving : (saving ?? 0) - kept
}

/** The pods of the try that go to idle machines, if the price of these machines leaves no gain. None otherwise. */
export function podsOnIdle(move: Saving, trial: Places, idling: Idling): Unbound {
  if (idling.idle.size === 0 || (gainOf(move, trial, idling) ?? 0) > 0) return NONE_UNBOUND
  return trial.podsOn(idling.idle)
}
