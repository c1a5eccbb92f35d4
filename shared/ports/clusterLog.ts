import type { Checkpoint, LogPosition, LogRecord } from '../model/logRecord.ts'
import type { AbortSignalLike } from './clock.ts'

export type { Checkpoint, LogPosition, LogRecord } from '../model/logRecord.ts'

/** The append-only record of what the shim sent about one cluster. Records may be duplicated and out of order. */
export interface ClusterLog {
  /**
   * Appends a record. Throws a Fault for a record that would be lost without notice: INPUT.TOO_LARGE for a record that is too large, and
   * INPUT.OLD_TERM for a term older than a logged term, with `newestTerm` among its fields. An old term may still be accepted within seconds of the
   * new term. INPUT.INVALID for a term that begins more than a day after the record was received, unless it is the term after the newest. After any
   * other Fault the record may be in the log.
   */
  append(record: LogRecord, signal: AbortSignalLike): Promise<Appended>
  /** Throws the Faults that `append` throws for the term of a record, and appends nothing. */
  checkTerm(record: Pick<LogRecord, 'term' | 'receivedAt'>, signal: AbortSignalLike): Promise<void>
  /**
   * Returns the records after `from`, or from the oldest kept record if `from` is undefined. Returns as many records as should be in memory at a
   * time.
   */
  read(from: LogPosition | undefined, signal: AbortSignalLike): Promise<LogPart>
  /** Returns the newest checkpoint. Undefined if there is none or a newer version of the program wrote it. */
  loadCheckpoint(signal: AbortSignalLike): Promise<Checkpoint | undefined>
  saveCheckpoint(state: Checkpoint, signal: AbortSignalLike): Promise<void>
  /** Starts a new log, so that the previous log, which the checkpoint covers, can be deleted. Does nothing while the log is small. */
  rotate(signal: AbortSignalLike): Promise<void>
  /** Asks the shim, in the answer to its next post, to send a full snapshot. `undefined` withdraws the request. */
  requestSnapshot(because: string | undefined, signal: AbortSignalLike): Promise<void>
  snapshotRequest(signal: AbortSignalLike): Promise<string | undefined>
}

/** An appended record, as a reader sees it that need not read the record. */
export type Appended = {
  /** The size of the record in storage. */
  readonly bytes: number
  /** Returns where the record is in the log for a reader that is at `from`. */
  readonly seenFrom: (from: LogPosition) => Sight
}

/**
 * `next`: nothing is between the reader and the record, and `position` is after the record. `past`: the reader has read the record. `beyond`: the
 * reader must read the log to learn what is before the record.
 */
export type Sight = { readonly is: 'next'; readonly position: LogPosition } | { readonly is: 'past' | 'beyond' }

export type LogPart = {
  readonly records: readonly LogRecord[]
  /** The position after the last of the records. */
  readonly position: LogPosition
  /** The size of the records in storage. */
  readonly bytes: number
  /** True if the log holds more records after the position. */
  readonly more: boolean
}
