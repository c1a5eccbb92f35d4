import { Fault, problem } from '../../model/problem.ts'
import type { LogPosition } from '../../ports/clusterLog.ts'
import { decode, dictionary, integer } from '../../wire/codec.ts'
import { parseJson } from '../../wire/version.ts'

/** The number of bytes read of each generation of a log, oldest first. */
export type LogOffsets = ReadonlyMap<number, number>

/** Prints offsets as a position, which is JSON text such as `{"3":1200,"4":0}`. */
export function printPosition(offsets: LogOffsets): LogPosition {
  return JSON.stringify(Object.fromEntries(offsets))
}

export function parsePosition(position: LogPosition): LogOffsets {
  const json = parseJson(position, 'position')
  const offsets = json.ok ? decode(dictionary(integer), json.value, { object: 'position' }) : json
  if (!offsets.ok || Object.keys(offsets.value).length === 0) throw gap(`position ${position} was not made by this log`)
  return offsetsOf(offsets.value)
}

/** The offsets by generation. Integer keys of an object are in ascending order, so the oldest generation is first. */
export function offsetsOf(byGeneration: { readonly [generation: string]: number }): LogOffsets {
  return new Map(Object.entries(byGeneration).map(([generation, offset]) => [Number(generation), offset]))
}

/** The Fault of a reader for which records between its position and the oldest kept record are gone. It must start from the checkpoint. */
export function gap(why: string): Fault {
  return new Fault('read the cluster log', problem('STORE.LOG_GAP', `${why}: start again from the checkpoint`))
}
