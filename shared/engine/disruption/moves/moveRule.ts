import type { CreateClaim, Reason } from '../../../model/decision.ts'
import type { DisruptionReason, NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { CandidateWithCost } from '../candidates/candidate.ts'

/** `replacements`: the new machines. Undefined if the move is not planned yet. */
export type ProposedMove = {
  readonly candidates: readonly CandidateWithCost[]
  readonly reason: DisruptionReason
  readonly replacements?: readonly CreateClaim[]
}

/** A limit on moves by other moves: moves of earlier decisions, and moves that the same decision has begun. */
export interface MoveRule {
  /** Why the move may not begin. Undefined if it may. */
  refusal(move: ProposedMove): Reason | undefined
  /** Reports whether the rule refuses none of the machines of the pool, each alone. Undefined if it refuses no move that names no replacements. */
  readonly holdsNone?: (pool: NodePool, reason: DisruptionReason) => boolean
  /** Records that the move begins. */
  begin(move: ProposedMove): void
  /** The times from which moves that were refused may begin. */
  wakes(): readonly EpochMs[]
  /** Returns a function that takes back the moves that begin after this call. */
  mark(): () => void
}
