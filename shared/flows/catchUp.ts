import { Fault } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterLog, LogPosition, LogRecord } from '../ports/clusterLog.ts'
import { type ClusterState, createClusterState } from './clusterState.ts'

/** Records between two compactions: bounds what a cold reader has to apply. */
const COMPACT_EVERY_RECORDS = 2_000

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
}

export function createClusterReader(log: ClusterLog): ClusterReader {
  let held: { state: ClusterState; position: LogPosition | undefined } | undefined
  let sinceCompact = 0
  let asked = false

  async function start(signal: AbortSignalLike): Promise<{ state: ClusterState; position: LogPosition | undefined }> {
    const compact = await log.loadCompact(signal)
    return { state: createClusterState(compact), position: compact?.position }
  }

  async function ask(missing: string | undefined, signal: AbortSignalLike): Promise<void> {
    if (missing === undefined && !asked) return
    await log.wantSnapshot(missing, signal)
    asked = missing !== undefined
  }

  /** A reader that slept through the removal of a part of the log starts again from the compact state, which covers it. */
  async function readOn(signal: AbortSignalLike): Promise<{ state: ClusterState; records: readonly LogRecord[]; position: LogPosition }> {
    held ??= await start(signal)
    try {
      return { state: held.state, ...(await log.read(held.position, signal)) }
    } catch (cause) {
      if (!(cause instanceof Fault) || cause.problem.code !== 'STORE.LOG_GAP') throw cause
      held = await start(signal)
      return { state: held.state, ...(await log.read(held.position, signal)) }
    }
  }

  return {
    async catchUp(now, signal) {
      const { state, records, position } = await readOn(signal)
      for (const record of records) state.apply(record)
      held = { state, position }
      sinceCompact += records.length
      const missing = state.missing(now)
      await ask(missing, signal)
      return missing === undefined ? { state, position, records: records.length } : { state, position, records: records.length, missing }
    },
    async compactIfDue(signal) {
      if (held?.position === undefined || sinceCompact < COMPACT_EVERY_RECORDS) return false
      await log.saveCompact(held.state.compact(held.position), signal)
      await log.rotate(signal)
      sinceCompact = 0
      return true
    },
  }
}
