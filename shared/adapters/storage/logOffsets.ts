import { Fault, problem } from '../../model/problem.ts'
import type { LogPosition } from '../../ports/clusterLog.ts'

/** Bytes read of each generation of a log, oldest first. */
export type LogOffsets = ReadonlyMap<number, number>

/** A position is the offsets as JSON text: `{"3":1200,"4":0}`. */
export function printPosition(offsets: LogOffsets): LogPosition {
  return JSON.stringify(Object.fromEntries(offsets))
}

export function parsePosition(position: LogPosition): LogOffsets {
  const offsets = parseOffsets(safeJson(position))
  if (offsets === undefined || offsets.size === 0) throw gap(`position ${position} was not made by this log`)
  return offsets
}

export function parseOffsets(value: unknown): LogOffsets | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // integer keys of an object come in ascending order
  const entries = Object.entries(value).map(([key, offset]) => [Number(key), Number(offset)] as const)
  return entries.every(([key, offset]) => Number.isSafeInteger(key) && Number.isSafeInteger(offset)) ? new Map(entries) : undefined
}

/** Records between the reader's position and the oldest kept are gone: it must start from the compact state. */
export function gap(why: string): Fault {
  return new Fault('read the cluster log', problem('STORE.LOG_GAP', `${why}: start again from the compact state`))
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
