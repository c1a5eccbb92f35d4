import type { Decision } from './decision.ts'
import type { LogPosition } from './logRecord.ts'
import type { EpochMs, MicroUsdPerHour } from './units.ts'

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
