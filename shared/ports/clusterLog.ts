import type { Change, Stamp } from '../model/change.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** One record of the log: a batch of changes, or one part of a full snapshot of the cluster, as the shim sent it. */
export type LogRecord = {
  readonly term: number
  readonly receivedAt: EpochMs
  readonly body:
    | { readonly kind: 'changes'; readonly changes: readonly Change[] }
    /** All parts carry the stamp's seq; together they hold every object that existed then. */
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

/** The append-only record of what the shim said about one cluster. Doubled and reordered records are allowed. */
export interface ClusterLog {
  append(record: LogRecord, signal: AbortSignalLike): Promise<void>
  /** Records after `from` (from the oldest kept when undefined), and the position behind the last of them. */
  read(
    from: LogPosition | undefined,
    signal: AbortSignalLike,
  ): Promise<{ readonly records: readonly LogRecord[]; readonly position: LogPosition }>
  /** The newest compact state saved, or undefined when there is none or a newer program wrote it. */
  loadCompact(signal: AbortSignalLike): Promise<CompactState | undefined>
  saveCompact(state: CompactState, signal: AbortSignalLike): Promise<void>
  /** Starts a new log so that the one before, covered by the compact state, can go. Returns without doing anything while the log is small. */
  rotate(signal: AbortSignalLike): Promise<void>
  /** Asks the shim, with the answer to its next post, to send everything again. `undefined` takes the question back. */
  wantSnapshot(because: string | undefined, signal: AbortSignalLike): Promise<void>
  snapshotWanted(signal: AbortSignalLike): Promise<string | undefined>
}

/** The state of a cluster at a position of its log: a cold reader starts here. */
export type CompactState = {
  readonly position: LogPosition
  /** Newest complete snapshot of the shim; older changes do not count. */
  readonly floor: Stamp
  /** Changes are known without a hole up to here. */
  readonly complete: Stamp
  readonly entries: readonly { readonly stamp: Stamp; readonly change: Change }[]
}
