import { Fault, problem } from '../../model/problem.ts'
import type { LogPosition, Sight } from '../../ports/clusterLog.ts'
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

/** Bytes that were appended to a generation. `offset`: undefined if storage did not name it. */
export type AppendedBytes = { readonly generation: number; readonly offset: number | undefined; readonly length: number }

/** Returns where appended bytes are for a reader that is at `from`. Storage says at which offset it has put them. */
export function sightOf(appended: readonly AppendedBytes[], from: LogPosition): Sight {
  const offsets = new Map(parsePosition(from))
  let is: Sight['is'] = 'past'
  for (const { generation, offset, length } of appended) {
    const at = offsets.get(generation)
    if (at === undefined || offset === undefined || offset > at) return { is: 'beyond' }
    if (offset < at) continue
    offsets.set(generation, at + length)
    is = 'next'
  }
  return is === 'past' ? { is } : { is: 'next', position: printPosition(offsets) }
}

/** The offsets by generation. Integer keys of an object are in ascending order, so the oldest generation is first. */
export function offsetsOf(byGeneration: { readonly [generation: string]: number }): LogOffsets {
  return new Map(Object.entries(byGeneration).map(([generation, offset]) => [Number(generation), offset]))
}

/** The Fault of a reader for which records between its position and the oldest kept record are gone. It must start from the checkpoint. */
export function gap(why: string): Fault {
  return new Fault('read the cluster log', problem('STORE.LOG_GAP', `${why}: start again from the checkpoint`))
}
