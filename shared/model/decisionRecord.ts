import type { Decision } from './decision.ts'
import type { LogPosition } from './logRecord.ts'
import type { EpochMs, MicroUsdPerHour } from './units.ts'

/** One decision for people to look at: not all of its input, so that it cannot be made again from this. */
export type DecisionRecord = {
  readonly number: number
  readonly epoch: number
  readonly takenAt: EpochMs
  /** Where in the log the snapshot stood. Sizes, prices, what was blocked, the settings and the build are not in the log. */
  readonly position: LogPosition
  readonly decision: Decision
  readonly decideMs: number
  /** Absent: the decision began no move. */
  readonly moved?: MovesSum
}

/** What the moves that a decision began gain, and what they move for that. */
export type MovesSum = {
  /** Nodes that go, and NodeClaims that come in their place. */
  readonly nodes: number
  readonly replacements: number
  /** Pods that need another place. */
  readonly pods: number
  /** Less for nodes that come. Negative: drifted nodes go whatever that costs. Absent: some price is not known. */
  readonly saving?: MicroUsdPerHour
}
