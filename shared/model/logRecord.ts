import type { Change, Version } from './change.ts'
import type { EpochMs } from './units.ts'

/** One record of the log: a batch of changes, or one part of a full snapshot of the cluster, as the shim sent it. */
export type LogRecord = {
  readonly term: number
  readonly receivedAt: EpochMs
  readonly body:
    | { readonly kind: 'changes'; readonly changes: readonly Change[] }
    /** All parts carry the sequence number of the snapshot's version. Together they hold every object that existed at that version. */
    | {
        readonly kind: 'snapshot'
        readonly seq: number
        readonly part: number
        readonly parts: number
        readonly changes: readonly Change[]
      }
}

/** A position in the log. Only the log that made it can interpret it. */
export type LogPosition = string

/** The state of a cluster at a position of its log. A reader without state starts here. */
export type Checkpoint = {
  readonly position: LogPosition
  /** Version of the newest complete snapshot of the shim. Older changes are ignored. */
  readonly floor: Version
  /** All changes up to this version are known, without a gap. */
  readonly complete: Version
  readonly entries: readonly { readonly version: Version; readonly change: Change }[]
}
