import type { CreateClaim } from '../../model/decision.ts'
import type { Weighed } from './candidate.ts'

/** Micro dollars an hour that go less those that come. Undefined: some price is not known. */
export function savingOf(candidates: readonly Weighed[], replacements: readonly CreateClaim[]): number | undefined {
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
