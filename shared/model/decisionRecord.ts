import type { Decision } from './decision.ts'
import type { LogPosition } from './logRecord.ts'
import type { EpochMs } from './units.ts'

/** One decision for people to look at: not all of its input, so that it cannot be made again from this. */
export type DecisionRecord = {
  readonly number: number
  readonly epoch: number
  readonly takenAt: EpochMs
  readonly seed: string
  /** Where in the log the snapshot stood. Sizes, prices, what was blocked, the settings and the build are not in the log. */
  readonly position: LogPosition
  readonly decision: Decision
  readonly decideMs: number
}
