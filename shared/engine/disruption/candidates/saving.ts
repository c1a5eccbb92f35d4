import type { CreateClaim } from '../../../model/decision.ts'
import type { CandidateWithCost } from './candidate.ts'

/** The price of the machines that go less the price of their replacements, in micro-USD an hour. Undefined if some price is unknown. */
export function savingOf(candidates: readonly CandidateWithCost[], replacements: readonly CreateClaim[]): number | undefined {
  let saving = 0
  for (const { choice } of candidates) {
    if (choice?.price === undefined) return undefined
    saving += choice.price
  }
  for (const { choice } of replacements) {
    if (choice.price === undefined) return undefined
    saving -= choice.price
  }
  return saving
}
