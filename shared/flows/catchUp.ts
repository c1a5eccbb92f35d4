import { settle } from '../base/bounded.ts'
import { createTurnstile } from '../base/turnstile.ts'
import { Fault, type Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterLog, LogPart, LogPosition } from '../ports/clusterLog.ts'
import { type ClusterState, createClusterState } from './clusterState.ts'
import { problemOf } from './doEach.ts'
import { createSnapshotQuestion } from './snapshotQuestion.ts'

/** What is read between two compactions: bounds what a cold reader has to apply, in blocks and in bytes. */
const COMPACT_EVERY: Amount = { records: 2_000, bytes: 64 * 1024 * 1024 }
/** A snapshot that comes in parts is compacted as a whole, unless it takes this many times as long. */
const PATIENCE = 4
/** After a compaction that failed, the next is due once this share more was read. */
const AFTER_FAILURE = 7 / 8

type Amount = { readonly records: number; readonly bytes: number }
const NOTHING: Amount = { records: 0, bytes: 0 }

/** The state this process holds of one cluster, and how far in the log it got. */
export interface ClusterReader {
  /** Brings the state up to the end of the log. What it costs depends on what changed since the last call. */
  catchUp(now: EpochMs, signal: AbortSignalLike): Promise<CaughtUp>
  /** Saves a compact state when enough was read since the last one. */
  compactIfDue(signal: AbortSignalLike): Promise<boolean>
}

export type CaughtUp = {
  readonly state: ClusterState
  readonly position: LogPosition
  readonly records: number
  /** Set: something is missing, and the shim has been asked to send everything again. */
  readonly missing?: string
  /** The shim could not be asked, or a question that is answered could not be taken back; the next call tries again. */
  readonly trouble?: Problem
}

type Held = { readonly state: ClusterState; readonly position: LogPosition | undefined }

/** Callers may share a reader: they catch up one after another, and each goes on with the state as it is then. */
export function createClusterReader(log: ClusterLog): ClusterReader {
  const inTurn = createTurnstile(1)
  let held: Held | undefined
  let sinceCompact = NOTHING
  const question = createSnapshotQuestion(log)

  async function start(signal: AbortSignalLike): Promise<Held> {
    const compact = await log.loadCompact(signal)
    return { state: createClusterState(compact), position: compact?.position }
  }

  /** A reader that slept through the removal of a part of the log starts again from the compact state, which covers it. */
  async function readOn(signal: AbortSignalLike): Promise<LogPart & { readonly state: ClusterState }> {
    held ??= await start(signal)
    try {
      return { state: held.state, ...(await log.read(held.position, signal)) }
    } catch (cause) {
      if (!(cause instanceof Fault) || cause.problem.code !== 'STORE.LOG_GAP') throw cause
      held = await start(signal)
      return { state: held.state, ...(await log.read(held.position, signal)) }
    }
  }

  async function catchUp(now: EpochMs, signal: AbortSignalLike): Promise<CaughtUp> {
    let sawSnapshot = false
    let records = 0
    for (;;) {
      const part = await readOn(signal)
      for (const record of part.records) {
        part.state.apply(record)
        sawSnapshot ||= record.body.kind === 'snapshot'
      }
      held = part
      records += part.records.length
      sinceCompact = plus(sinceCompact, { records: part.records.length, bytes: part.bytes })
      if (part.more) continue
      const missing = part.state.missing(now)
      const asked = await settle(() => question.askOrTakeBack(missing, sawSnapshot, signal))
      return {
        state: part.state,
        position: part.position,
        records,
        ...(missing === undefined ? {} : { missing }),
        ...(asked.ok ? {} : { trouble: problemOf(asked.error) }),
      }
    }
  }

  return {
    catchUp: (now, signal) => inTurn(() => catchUp(now, signal)),
    async compactIfDue(signal) {
      if (held?.position === undefined || !isDue(sinceCompact, 1)) return false
      if (held.state.isGathering() && !isDue(sinceCompact, PATIENCE)) return false
      const covered = atMost(sinceCompact, AFTER_FAILURE)
      sinceCompact = covered
      await log.saveCompact(held.state.compact(held.position), signal)
      await log.rotate(signal)
      // What was read meanwhile counts for the next.
      sinceCompact = minus(sinceCompact, covered)
      return true
    },
  }
}

function plus(first: Amount, second: Amount): Amount {
  return { records: first.records + second.records, bytes: first.bytes + second.bytes }
}

function minus(first: Amount, second: Amount): Amount {
  return { records: first.records - second.records, bytes: first.bytes - second.bytes }
}

function isDue({ records, bytes }: Amount, times: number): boolean {
  return records >= COMPACT_EVERY.records * times || bytes >= COMPACT_EVERY.bytes * times
}

/** No more than this share of what makes a compaction due. */
function atMost({ records, bytes }: Amount, share: number): Amount {
  return { records: Math.min(records, COMPACT_EVERY.records * share), bytes: Math.min(bytes, COMPACT_EVERY.bytes * share) }
}
