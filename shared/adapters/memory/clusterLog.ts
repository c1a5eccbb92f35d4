import { Fault, problem } from '../../model/problem.ts'
import { checkTerm } from '../../model/term.ts'
import type { Checkpoint, ClusterLog, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import type { Connection } from './connection.ts'
import { storedCopy } from './storedCopy.ts'

/** Records by their number in the log; a position is the number of the next one. */
export type LogTruth = {
  readonly records: LogRecord[]
  /** Characters of each as JSON. */
  readonly bytes: number[]
  /** Number of the oldest record kept. */
  oldest: number
  /** Where generations begin, oldest first. */
  readonly generations: number[]
  compact: Checkpoint | undefined
  newestTerm: number
  wanted: string | undefined
  /** A generation with this many records is worth a new one. */
  readonly rotateRecords: number
  /** Records of one read. */
  readonly readRecords: number
}

export type LogLimits = Pick<LogTruth, 'rotateRecords' | 'readRecords'>

export function createLogTruth(limits: LogLimits): LogTruth {
  return { records: [], bytes: [], oldest: 0, generations: [0], compact: undefined, newestTerm: 0, wanted: undefined, ...limits }
}

export function createMemoryClusterLog(truth: LogTruth, connection: Connection): ClusterLog {
  return {
    append: (record, signal) =>
      connection.write('log.append', 'log', signal, () => {
        checkTerm(record.term, truth.newestTerm, record.receivedAt)
        truth.newestTerm = record.term
        truth.records.push(storedCopy(record))
        truth.bytes.push(JSON.stringify(record).length)
      }),
    read: (from, signal) =>
      connection.read('log.read', 'log', signal, () => {
        const start = from === undefined ? truth.oldest : numberOf(from, truth)
        const end = Math.min(truth.records.length, start + truth.readRecords)
        const bytes = truth.bytes.slice(start, end).reduce((sum, each) => sum + each, 0)
        return { records: truth.records.slice(start, end), position: String(end), bytes, more: end < truth.records.length }
      }),
    loadCheckpoint: (signal) => connection.read('log.loadCheckpoint', 'compact', signal, () => truth.compact),
    saveCheckpoint: (state, signal) => connection.write('log.saveCheckpoint', 'compact', signal, () => saveCheckpoint(truth, state)),
    rotate: (signal) => connection.write('log.rotate', 'log', signal, () => rotate(truth)),
    wantSnapshot: (because, signal) =>
      connection.write('log.wantSnapshot', 'want', signal, () => {
        truth.wanted = because
      }),
    snapshotWanted: (signal) => connection.read('log.snapshotWanted', 'want', signal, () => truth.wanted),
  }
}

function numberOf(position: LogPosition, { oldest, records }: LogTruth): number {
  const number = /^\d+$/.test(position) ? Number(position) : Number.NaN
  if (number >= oldest && number <= records.length) return number
  throw new Fault(
    'read the cluster log',
    problem('STORE.LOG_GAP', `position ${position} is not kept any more: start again from the checkpoint`),
  )
}

/** A writer that comes late does not put an older state over a newer one. */
function saveCheckpoint(truth: LogTruth, state: Checkpoint): void {
  if (truth.compact === undefined || Number(state.position) >= Number(truth.compact.position)) truth.compact = storedCopy(state)
}

function rotate(truth: LogTruth): void {
  const newest = truth.generations.at(-1) ?? 0
  const end = truth.records.length
  if (end - newest >= truth.rotateRecords) truth.generations.push(end)
  const covered = Number(truth.compact?.position ?? 0)
  while (truth.generations.length > 1 && (truth.generations[1] ?? 0) <= covered) truth.generations.shift()
  truth.oldest = truth.generations[0] ?? 0
}
