import type { ClaimRefusal, SchedulerRefusal } from './claimRefusal.ts'
import type { Nomination } from './clusterSnapshot.ts'
import type { CreateClaim, Decision, ProvisioningCursor } from './decision.ts'
import type { BackOff, BegunMove, DisruptionCommand, ExtraNodes, MoveRest } from './disruptionCommand.ts'
import type { ClusterId, NodeClaimName } from './ids.ts'
import type { LogPosition } from './logRecord.ts'
import type { ShortSize } from './sizeReport.ts'
import type { DurationMs, EpochMs, MicroUsdPerHour } from './units.ts'

export const LEDGER_SCHEMA = 1

/**
 * The write-ahead record of one cluster's decisions. The holder of the lease raises `epoch` before it decides. The guarded write of a stale writer
 * then fails before the writer changes anything else.
 */
export type Ledger = {
  readonly schema: number
  readonly cluster: ClusterId
  readonly epoch: number
  /** Number of decisions made so far, which is the number of the newest decision. */
  readonly decisions: number
  /** Claims that were decided and that the watch has not shown yet. */
  readonly intents: readonly Intent[]
  readonly nominations: readonly Nomination[]
  /** Disruption commands under way. */
  readonly commands: readonly DisruptionCommand[]
  /** Disruption commands that failed lately. */
  readonly backOffs: readonly BackOff[]
  /** Moves that the calm settings remember. Undefined if there are none. */
  readonly begunMoves?: readonly BegunMove[]
  readonly moveRests?: readonly MoveRest[]
  readonly extraNodes?: readonly ExtraNodes[]
  /** Where the newest decision stopped planning. Undefined if all pods had their turn. */
  readonly provisioningCursor?: ProvisioningCursor
  /** Pods that kube-scheduler does not bind where they were planned. Undefined if there are none. */
  readonly schedulerRefusals?: readonly SchedulerRefusal[]
  /** Sizes with less room than the catalog promises. Undefined if there are none. */
  readonly shortSizes?: readonly ShortSize[]
  /** NodeClaims that the API server refused lately. Undefined if there are none. */
  readonly claimRefusals?: readonly ClaimRefusal[]
  /** Set if the newest look found nothing to do. Undefined if the look did something, or recorded nothing. */
  readonly rest?: Rest
}

/** A further look finds nothing to do, as long as the log ends at `position` and `until` is not over. */
export type Rest = { readonly position: LogPosition; readonly until: EpochMs }

export type Intent = {
  readonly action: CreateClaim
  readonly decision: number
  readonly decidedAt: EpochMs
  /** When the NodeClaim was created. A claim that disappears after that is not created again. */
  readonly createdAt?: EpochMs
  /** Times for the trace of the machine. Undefined if an earlier version wrote the intent. */
  readonly look?: DecisionTiming
}

/** The look at the cluster that made a decision. */
export type DecisionTiming = {
  /** Time of the earliest event that triggered the look. */
  readonly heardAt: EpochMs
  readonly startedAt: EpochMs
  /** Time from the snapshot, which is the time of the decision, to the finished decision. */
  readonly decideMs: DurationMs
}

export function intentName(intent: Intent): NodeClaimName {
  return intent.action.draft.name
}

/** One decision, recorded for people. It does not hold the whole input, so the decision cannot be repeated from it. */
export type DecisionRecord = {
  readonly number: number
  readonly epoch: number
  readonly takenAt: EpochMs
  /** The log position of the snapshot. The log does not hold sizes, prices, blocked offerings, settings and the version of the program. */
  readonly position: LogPosition
  readonly decision: Decision
  readonly decideMs: number
  /** Undefined if the decision started no disruption command. */
  readonly moved?: MovesSum
}

/** What the disruption commands of a decision gain, and what they move. */
export type MovesSum = {
  /** Removed nodes, and NodeClaims that replace them. */
  readonly nodes: number
  readonly replacements: number
  /** Pods that need another place. */
  readonly pods: number
  /**
   * Price of the removed nodes minus price of the replacements. Negative if drifted nodes are replaced by dearer ones. Undefined if some price is not
   * known.
   */
  readonly saving?: MicroUsdPerHour
}
