import type { Nomination } from './clusterSnapshot.ts'
import type { CreateClaim } from './decision.ts'
import type { BackOff, DisruptionCommand } from './disruptionCommand.ts'
import type { ClusterId, NodeClaimName } from './ids.ts'
import type { LogPosition } from './logRecord.ts'
import type { DurationMs, EpochMs } from './units.ts'

export const LEDGER_SCHEMA = 1

/**
 * The write-ahead record of one cluster's decisions. Whoever holds the lease raises `epoch` before deciding; a stale
 * writer then fails its guarded write before it touches anything else.
 */
export type Ledger = {
  readonly schema: number
  readonly cluster: ClusterId
  readonly epoch: number
  /** Decisions made so far: the number of the newest. */
  readonly decisions: number
  /** Claims decided and not yet seen by the watch. */
  readonly intents: readonly Intent[]
  readonly nominations: readonly Nomination[]
  /** Moves under way. */
  readonly commands: readonly DisruptionCommand[]
  /** Moves that came to nothing lately. */
  readonly backOffs: readonly BackOff[]
  /** The newest look found nothing to do. Absent: it did, or had none of its findings written down. */
  readonly rest?: Rest
}

/** Another look finds nothing either, as long as the log ends here and the time is not over. */
export type Rest = { readonly position: LogPosition; readonly until: EpochMs }

export type Intent = {
  readonly action: CreateClaim
  readonly decision: number
  readonly decidedAt: EpochMs
  /** Set once the NodeClaim was created; a claim gone after that is not made again. */
  readonly createdAt?: EpochMs
  /** For the trace of its machine. Absent: written by an earlier version. */
  readonly look?: Look
}

/** The look at the cluster that a decision was made in. */
export type Look = {
  /** Earliest event that it answers. */
  readonly heardAt: EpochMs
  readonly startedAt: EpochMs
  /** From the snapshot, which is the time of the decision, to the decision made. */
  readonly decideMs: DurationMs
}

export function intentName(intent: Intent): NodeClaimName {
  return intent.action.draft.name
}
