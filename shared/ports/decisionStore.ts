import type { DecisionRecord } from '../model/ledger.ts'
import type { AbortSignalLike } from './clock.ts'

export type { DecisionRecord } from '../model/ledger.ts'

export interface DecisionStore {
  save(record: DecisionRecord, signal: AbortSignalLike): Promise<void>
  /** Returns the newest records first, at most `limit`. */
  latest(limit: number, signal: AbortSignalLike): Promise<readonly DecisionRecord[]>
}
