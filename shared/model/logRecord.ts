import type { Change, Version } from './change.ts'
import type { EpochMs } from './units.ts'

/** One record of the log: a batch of changes, or one part of a full snapshot of the cluster, as the shim sent it. */
export type LogRecord = {
  readonly term: number
  readonly receivedAt: EpochMs
  readonly body:
    | { readonly kind: 'changes'; readonly changes: readonly Change[] }
    /** All parts carry the version's seq; together they hold every object that existed then. */
    | {
        readonly kind: 'snapshot'
        readonly seq: number
        readonly part: number
        readonly parts: number
        readonly changes: readonly Change[]
      }
}

/** A place in the log. Opaque: only the log that made it reads it. */
export type LogPosition = string

/** The state of a cluster at a position of its log: a cold reader starts here. */
export type Checkpoint = {
  readonly position: LogPosition
  /** Newest complete snapshot of the shim; older changes do not count. */
  readonly floor: Version
  /** Changes are known without a hole up to here. */
  readonly complete: Version
  readonly entries: readonly { readonly version: Version; readonly change: Change }[]
}
