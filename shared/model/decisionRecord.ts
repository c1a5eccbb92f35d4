import type { Decision } from './decision.ts'
import type { LogPosition } from './logRecord.ts'
import type { EpochMs } from './units.ts'

/** One decision with what is needed to make it again. */
export type DecisionRecord = {
  readonly number: number
  readonly epoch: number
  readonly takenAt: EpochMs
  readonly seed: string
  /** Where in the log the snapshot stood: with the log it gives the input again. */
  readonly position: LogPosition
  readonly decision: Decision
  readonly decideMs: number
}
