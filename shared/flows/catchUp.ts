import { settle } from '../base/bounded.ts'
import { Fault, type Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterLog, LogPart, LogPosition } from '../ports/clusterLog.ts'
import { type ClusterState, createClusterState } from './clusterState.ts'
import { problemOf } from './doEach.ts'

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
  /** Saves a compact state when enough was read since the last one. Only for whoever holds the lease. */
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

export function createClusterReader(log: ClusterLog): ClusterReader {
  let held: Held | undefined
  let sinceCompact = NOTHING
  /** Whether the question stands, whoever asked it. Undefined: not looked yet. */
  let isAsked: boolean | undefined

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

  /**
   * Asks the shim for what is missing. Whoever sees the picture whole takes the question back, since the process that asked may be dead: a
   * process looks whether one stands at its first look, and after each snapshot, which somebody asked for.
   */
  async function askOrTakeBack(missing: string | undefined, sawSnapshot: boolean, signal: AbortSignalLike): Promise<void> {
    if (missing === undefined && (isAsked === undefined || sawSnapshot)) isAsked = (await log.snapshotWanted(signal)) !== undefined
    if (missing === undefined && !isAsked) return
    await log.wantSnapshot(missing, signal)
    isAsked = missing !== undefined
  }

  return {
    async catchUp(now, signal) {
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
        const asked = await settle(() => askOrTakeBack(missing, sawSnapshot, signal))
        return {
          state: part.state,
          position: part.position,
          records,
          ...(missing === undefined ? {} : { missing }),
          ...(asked.ok ? {} : { trouble: problemOf(asked.error) }),
        }
      }
    },
    async compactIfDue(signal) {
      if (held?.position === undefined || !isDue(sinceCompact, 1)) return false
      if (held.state.isGathering() && !isDue(sinceCompact, PATIENCE)) return false
      sinceCompact = atMost(sinceCompact, AFTER_FAILURE)
      await log.saveCompact(held.state.compact(held.position), signal)
      await log.rotate(signal)
      sinceCompact = NOTHING
      return true
    },
  }
}

function plus(first: Amount, second: Amount): Amount {
  return { records: first.records + second.records, bytes: first.bytes + second.bytes }
}

function isDue({ records, bytes }: Amount, times: number): boolean {
  return records >= COMPACT_EVERY.records * times || bytes >= COMPACT_EVERY.bytes * times
}

/** No more than this share of what makes a compaction due. */
function atMost({ records, bytes }: Amount, share: number): Amount {
  return { records: Math.min(records, COMPACT_EVERY.records * share), bytes: Math.min(bytes, COMPACT_EVERY.bytes * share) }
}
