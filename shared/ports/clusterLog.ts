import type { Checkpoint, LogPosition, LogRecord } from '../model/logRecord.ts'
import type { AbortSignalLike } from './clock.ts'

export type { Checkpoint, LogPosition, LogRecord } from '../model/logRecord.ts'

/** The append-only record of what the shim said about one cluster. Doubled and reordered records are allowed. */
export interface ClusterLog {
  /**
   * Refuses, as a Fault, what would be lost without anybody knowing: INPUT.TOO_LARGE, and INPUT.OLD_TERM for a record of a term older than one
   * that was logged, with `newestTerm` among its fields. An old term may still be taken within seconds of the new one. INPUT.INVALID for one that
   * begins more than a day after the record was received, unless it is the one after the newest.
   */
  append(record: LogRecord, signal: AbortSignalLike): Promise<void>
  /** Records after `from` (from the oldest kept when undefined), as many as should be held at once. */
  read(from: LogPosition | undefined, signal: AbortSignalLike): Promise<LogPart>
  /** The newest checkpoint saved, or undefined when there is none or a newer program wrote it. */
  loadCheckpoint(signal: AbortSignalLike): Promise<Checkpoint | undefined>
  saveCheckpoint(state: Checkpoint, signal: AbortSignalLike): Promise<void>
  /** Starts a new log so that the one before, covered by the checkpoint, can go. Returns without doing anything while the log is small. */
  rotate(signal: AbortSignalLike): Promise<void>
  /** Asks the shim, with the answer to its next post, to send everything again. `undefined` takes the question back. */
  wantSnapshot(because: string | undefined, signal: AbortSignalLike): Promise<void>
  snapshotWanted(signal: AbortSignalLike): Promise<string | undefined>
}

export type LogPart = {
  readonly records: readonly LogRecord[]
  /** Behind the last of them. */
  readonly position: LogPosition
  /** What they take in storage. */
  readonly bytes: number
  /** There are more behind the position. */
  readonly more: boolean
}
