import { createConcurrencyLimiter, settle } from '../../base/concurrency.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Appended, ClusterLog, LogPart, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { problemOf } from '../deps/clusterDeps.ts'
import { type ClusterState, createClusterState } from './clusterState.ts'
import type { LoadedClusters } from './decider.ts'
import { createSnapshotRequest } from './snapshotRequest.ts'

/** A checkpoint waits for all parts of a snapshot, until this many times the usual volume was read. */
const SNAPSHOT_PATIENCE = 4
/** The most bytes of received records that wait to be applied, as much as one read of the log. Beyond that the log is read. */
const MOST_RECEIVED_BYTES = 8 * 1024 * 1024

/** The state of one cluster in this process, and its position in the log. */
export interface ClusterReader {
  /** Takes a record that this process has appended to the log. The next `catchUp` applies it. */
  receive(record: LogRecord, appended: Appended): void
  /**
   * Brings the state up to date. The cost depends on the changes since the last call. Received records are applied first. The log is read to its end
   * only if they leave a gap, or without `known`: the version of what other processes do. While this is the version of the last `hasSeen`, the
   * caller is content with a state that is as new as the last received record.
   */
  catchUp(now: EpochMs, signal: AbortSignalLike, known?: string): Promise<CaughtUp>
  /** Notes a version that is no newer than the state. */
  hasSeen(version: string | undefined): void
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
  const follower = createFollower(log)
  const question = createSnapshotRequest(log)
  let seenVersion: string | undefined

  async function catchUp(now: EpochMs, signal: AbortSignalLike, known: string | undefined): Promise<CaughtUp> {
    const { state, position, records } = await follower.follow(now, known !== undefined && known === seenVersion, signal)
    const missing = state.missing(now)
    const asked = await settle(() => question.requestOrCancel(missing, follower.sawSnapshot(), signal))
    if (asked.ok) follower.forgetSnapshot()
    return {
      state,
      position,
      records,
      ...(missing === undefined ? {} : { missing }),
      ...(asked.ok ? {} : { trouble: problemOf(asked.error) }),
    }
  }

  const reader: ClusterReader = {
    receive: follower.receive,
    hasSeen(version) {
      seenVersion = version
    },
    async catchUp(now, signal, version) {
      const caughtUp = await inTurn(() => catchUp(now, signal, version))
      loaded?.used(reader)
      return caughtUp
    },
    known: () => follower.held()?.state,
    size: () => follower.held()?.state.size() ?? 0,
    forget() {
      seenVersion = undefined
      follower.forget()
    },
    async compactIfDue(signal) {
      const { volume } = follower
      const held = follower.held()
      if (held?.position === undefined || !volume.isDue()) return false
      if (held.state.isGathering() && !volume.isDue(SNAPSHOT_PATIENCE)) return false
      const saved = volume.begin()
      await log.saveCheckpoint(held.state.compact(held.position), signal)
      await log.rotate(signal)
      saved()
      return true
    },
  }
  return reader
}

type Followed = { readonly state: ClusterState; readonly position: LogPosition; readonly records: number }

/** The state that follows the log: by what this process has appended, and by what it reads. */
function createFollower(log: ClusterLog) {
  const volume = createReadVolume()
  const received = createReceived()
  let held: Held | undefined
  let sawSnapshot = false

  function apply(
    { state, position }: { readonly state: ClusterState; readonly position: LogPosition },
    records: readonly LogRecord[],
    bytes: number,
  ): void {
    for (const record of records) {
      state.apply(record)
      sawSnapshot ||= record.body.kind === 'snapshot'
    }
    held = { state, position }
    volume.add({ records: records.length, bytes })
  }

  /** Applies the received records that follow on the held position. Returns their number. */
  function applyReceived(): number {
    for (let records = 0; ; records++) {
      const next = held?.position === undefined ? undefined : received.next(held.position)
      if (held === undefined || next === undefined) return records
      apply({ state: held.state, position: next.position }, [next.record], next.bytes)
    }
  }

  async function readToEnd(before: number, signal: AbortSignalLike): Promise<Followed> {
    received.readBegins()
    try {
      for (let records = before; ; ) {
        const { state, position, ...part } = await readOn(log, held, signal)
        apply({ state, position }, part.records, part.bytes)
        records += part.records.length
        if (!part.more) return { state, position, records }
      }
    } catch (error) {
      received.readFailed()
      throw error
    }
  }

  return {
    volume,
    held: () => held,
    receive: received.add,
    /** `isEnough`: what was received is enough if it has no gap. A gap in the numbers may be filled by another process, in an older part of the log. */
    async follow(now: EpochMs, isEnough: boolean, signal: AbortSignalLike): Promise<Followed> {
      const records = applyReceived()
      const isWhole = isEnough && !received.hasGap() && held?.state.missing(now) === undefined
      if (isWhole && held?.position !== undefined) return { state: held.state, position: held.position, records }
      return readToEnd(records, signal)
    },
    sawSnapshot: () => sawSnapshot,
    forgetSnapshot(): void {
      sawSnapshot = false
    },
    forget(): void {
      held = undefined
      received.clear()
      volume.clear()
    },
  }
}

async function start(log: ClusterLog, signal: AbortSignalLike): Promise<Held> {
  const compact = await log.loadCheckpoint(signal)
  return { state: createClusterState(compact), position: compact?.position }
}

type Received = { readonly record: LogRecord; readonly appended: Appended }

/** The records that this process has appended and that the state may lack. */
function createReceived() {
  /** About in the order of the log, since each is here soon after it was appended. */
  let waiting: Received[] = []
  let bytes = 0
  /** The log has something that was dropped here, or that a failed read did not bring. */
  let mustRead = false

  function clear(): void {
    waiting = []
    bytes = 0
  }

  return {
    add(record: LogRecord, appended: Appended): void {
      waiting.push({ record, appended })
      bytes += appended.bytes
      mustRead ||= bytes > MOST_RECEIVED_BYTES
      if (mustRead) clear()
    },
    /** Takes the record that follows on a position. On the way there it forgets the records before the position. Undefined: none follows. */
    next(from: LogPosition): { readonly record: LogRecord; readonly position: LogPosition; readonly bytes: number } | undefined {
      let place = 0
      for (let each = waiting[place]; each !== undefined; each = waiting[place]) {
        const { record, appended } = each
        const sight = appended.seenFrom(from)
        if (sight.is === 'beyond') {
          place++
          continue
        }
        waiting.splice(place, 1)
        bytes -= appended.bytes
        if (sight.is === 'next') return { record, position: sight.position, bytes: appended.bytes }
      }
      return undefined
    },
    /** Reports whether the state lacks something that only the log has. */
    hasGap: () => mustRead || waiting.length > 0,
    /** The log is read from now on. It has everything that was received until now. */
    readBegins(): void {
      mustRead = false
    },
    readFailed(): void {
      mustRead = true
    },
    clear(): void {
      clear()
      mustRead = false
    },
  }
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

/** The amount of log that was read since the last checkpoint, and whether the next checkpoint is due. */
export interface ReadVolume {
  add(amount: Amount): void
  /** Reports whether `times` times the amount for a checkpoint was read. */
  isDue(times?: number): boolean
  /** Begins a save. Until it ends, the next save is due once another eighth was read. Returns the function that ends the save. */
  begin(): () => void
  clear(): void
}

export type Amount = { readonly records: number; readonly bytes: number }

/** The amount for a checkpoint. It limits what a cold reader has to apply. */
const SAVE_EVERY: Amount = { records: 2_000, bytes: 64 * 1024 * 1024 }
const STILL_COUNTED = 7 / 8
const NO_AMOUNT: Amount = { records: 0, bytes: 0 }

function createReadVolume(): ReadVolume {
  let volume = NO_AMOUNT
  return {
    add({ records, bytes }) {
      volume = { records: volume.records + records, bytes: volume.bytes + bytes }
    },
    isDue: (times = 1) => volume.records >= SAVE_EVERY.records * times || volume.bytes >= SAVE_EVERY.bytes * times,
    begin() {
      const covered = {
        records: Math.min(volume.records, SAVE_EVERY.records * STILL_COUNTED),
        bytes: Math.min(volume.bytes, SAVE_EVERY.bytes * STILL_COUNTED),
      }
      volume = covered
      // The amount that was read meanwhile counts for the next save.
      return () => {
        volume = { records: Math.max(0, volume.records - covered.records), bytes: Math.max(0, volume.bytes - covered.bytes) }
      }
    },
    clear() {
      volume = NO_AMOUNT
    },
  }
}
