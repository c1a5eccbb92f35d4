import { settle } from '../../base/bounded.ts'
import { createConcurrencyLimiter } from '../../base/concurrencyLimiter.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterLog, LogPart, LogPosition } from '../../ports/clusterLog.ts'
import { problemOf } from '../deps/doEach.ts'
import { type ClusterState, createClusterState } from './clusterState.ts'
import type { LoadedClusters } from './loadedClusters.ts'
import { createReadVolume } from './readVolume.ts'
import { createSnapshotRequest } from './snapshotRequest.ts'

/** A checkpoint waits for all parts of a snapshot, until this many times the usual volume was read. */
const PATIENCE = 4

/** The state of one cluster in this process, and its position in the log. */
export interface ClusterReader {
  /** Reads the log to its end and brings the state up to date. The cost depends on the changes since the last call. */
  catchUp(now: EpochMs, signal: AbortSignalLike): Promise<CaughtUp>
  /** Saves a checkpoint when enough was read since the last one. */
  compactIfDue(signal: AbortSignalLike): Promise<boolean>
  /** The state as of the last `catchUp`. Undefined: the process has not loaded the cluster. */
  known(): ClusterState | undefined
  /** The number of objects in the state. */
  size(): number
  /** Drops the state. The next call loads the stored checkpoint and log again. */
  forget(): void
}

export type CaughtUp = {
  readonly state: ClusterState
  readonly position: LogPosition
  readonly records: number
  /** Why the state has a gap. The shim has been asked to send everything again. Absent: nothing is missing. */
  readonly missing?: string
  /** Why the request for a snapshot could not be stored, or could not be removed after the answer. The next call tries again. */
  readonly trouble?: Problem
}

type Held = { readonly state: ClusterState; readonly position: LogPosition | undefined }

/** A reader that callers may share. They catch up one after another and get the same state. `loaded`: all clusters that the process holds. */
export function createClusterReader(log: ClusterLog, loaded?: LoadedClusters): ClusterReader {
  const inTurn = createConcurrencyLimiter(1)
  let held: Held | undefined
  const volume = createReadVolume()
  const question = createSnapshotRequest(log)

  async function catchUp(now: EpochMs, signal: AbortSignalLike): Promise<CaughtUp> {
    let sawSnapshot = false
    let records = 0
    for (;;) {
      const part = await readOn(log, held, signal)
      for (const record of part.records) {
        part.state.apply(record)
        sawSnapshot ||= record.body.kind === 'snapshot'
      }
      held = part
      records += part.records.length
      volume.add({ records: part.records.length, bytes: part.bytes })
      if (part.more) continue
      const missing = part.state.missing(now)
      const asked = await settle(() => question.requestOrCancel(missing, sawSnapshot, signal))
      return {
        state: part.state,
        position: part.position,
        records,
        ...(missing === undefined ? {} : { missing }),
        ...(asked.ok ? {} : { trouble: problemOf(asked.error) }),
      }
    }
  }

  const reader: ClusterReader = {
    async catchUp(now, signal) {
      const caughtUp = await inTurn(() => catchUp(now, signal))
      loaded?.used(reader)
      return caughtUp
    },
    known: () => held?.state,
    size: () => held?.state.size() ?? 0,
    forget() {
      held = undefined
      volume.clear()
    },
    async compactIfDue(signal) {
      if (held?.position === undefined || !volume.isDue()) return false
      if (held.state.isGathering() && !volume.isDue(PATIENCE)) return false
      const saved = volume.begin()
      await log.saveCheckpoint(held.state.compact(held.position), signal)
      await log.rotate(signal)
      saved()
      return true
    },
  }
  return reader
}

async function start(log: ClusterLog, signal: AbortSignalLike): Promise<Held> {
  const compact = await log.loadCheckpoint(signal)
  return { state: createClusterState(compact), position: compact?.position }
}

/** Reads on from the held position. If that part of the log was removed meanwhile, it starts again from the checkpoint, which covers the part. */
async function readOn(
  log: ClusterLog,
  before: Held | undefined,
  signal: AbortSignalLike,
): Promise<LogPart & { readonly state: ClusterState }> {
  const held = before ?? (await start(log, signal))
  try {
    return { state: held.state, ...(await log.read(held.position, signal)) }
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.problem.code !== 'STORE.LOG_GAP') throw cause
    const again = await start(log, signal)
    return { state: again.state, ...(await log.read(again.position, signal)) }
  }
}
