import type { Reason } from '../../model/decision.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Weighed } from './candidate.ts'

/** A calm setting that limits moves by other moves: moves of earlier decisions, and moves that the same decision has begun. */
export interface MoveRule {
  /** Why a move of the machines may not begin. Undefined if it may. */
  refusal(machines: readonly Weighed[], reason: DisruptionReason): Reason | undefined
  /** Records that one move of the machines begins. */
  begin(machines: readonly Weighed[], reason: DisruptionReason): void
  /** The times from which moves that were refused may begin. */
  wakes(): readonly EpochMs[]
  /** Returns a function that takes back the moves that begin after this call. */
  mark(): () => void
}
