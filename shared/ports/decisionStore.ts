import type { Decision } from '../model/decision.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'
import type { LogPosition } from './clusterLog.ts'

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

export interface DecisionStore {
  save(record: DecisionRecord, signal: AbortSignalLike): Promise<void>
  /** Newest first, at most `limit`. */
  latest(limit: number, signal: AbortSignalLike): Promise<readonly DecisionRecord[]>
}
