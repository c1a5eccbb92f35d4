import { Fault, problem } from '../../model/problem.ts'
import { checkTerm } from '../../model/term.ts'
import type { Appended, Checkpoint, ClusterLog, LogPosition, LogRecord, Sight } from '../../ports/clusterLog.ts'
import type { Connection } from './connection.ts'
import { storedCopy } from './storedCopy.ts'

/** The records of a log by their number. A position is the number of the next record. */
export type LogTruth = {
  readonly records: LogRecord[]
  /** The length of each record as JSON, in characters. */
  readonly bytes: number[]
  /** The number of the oldest record that is kept. */
  oldest: number
  /** The number of the first record of each generation, oldest first. */
  readonly generations: number[]
  compact: Checkpoint | undefined
  newestTerm: number
  wanted: string | undefined
  /** Once a generation has this many records, the log may begin a new one. */
  readonly rotateRecords: number
  /** The most records that one read returns. */
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
        const bytes = JSON.stringify(record).length
        truth.bytes.push(bytes)
        return appendedAs(truth.records.length - 1, bytes)
      }),
    checkTerm: ({ term, receivedAt }, signal) =>
      connection.read('log.checkTerm', 'log', signal, () => checkTerm(term, truth.newestTerm, receivedAt)),
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
    requestSnapshot: (because, signal) =>
      connection.write('log.requestSnapshot', 'want', signal, () => {
        truth.wanted = because
      }),
    snapshotRequest: (signal) => connection.read('log.snapshotRequest', 'want', signal, () => truth.wanted),
  }
}

function appendedAs(number: number, bytes: number): Appended {
  const seenFrom = (from: LogPosition): Sight => {
    const at = Number(from)
    if (at === number) return { is: 'next', position: String(number + 1) }
    return { is: at > number ? 'past' : 'beyond' }
  }
  return { bytes, seenFrom }
}

function numberOf(position: LogPosition, { oldest, records }: LogTruth): number {
  const number = /^\d+$/.test(position) ? Number(position) : Number.NaN
  if (number >= oldest && number <= records.length) return number
  throw new Fault(
    'read the cluster log',
    problem('STORE.LOG_GAP', `position ${position} is not kept any more: start again from the checkpoint`),
  )
}

/** Saves a checkpoint, unless the stored one is newer: a late writer must not replace it. */
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
