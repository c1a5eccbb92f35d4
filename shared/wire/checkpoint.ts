import { err, ok, type Result } from '../base/result.ts'
import type { Version } from '../model/change.ts'
import type { Checkpoint } from '../model/logRecord.ts'
import { type Problem, problem } from '../model/problem.ts'
import { parseChange, printChange } from './change.ts'
import { type Codec, constant, decode, integer, isObject, json, list, record, text } from './codec.ts'
import { podRowReader } from './podRows.ts'
import { rowReader } from './rows/rowReader.ts'
import { type Entry, rowWriter } from './rows/rowWriter.ts'
import { checkVersion, parseJson } from './version.ts'

const OBJECT = 'checkpoint'
const VERSION = 4
/** Earlier versions: pods as rows, one line for each entry, and all entries on one line. */
const POD_ROWS = 3
const LINES = 2
const ONE_LINE = 1

/**
 * Prints a head line, then the entries: objects as rows under templates, and one line for each other entry. Yields lines without line ends, since the
 * state of a large cluster is longer than the longest possible string.
 */
export function* printCheckpoint({ position, floor, complete, entries }: Checkpoint): Generator<string> {
  yield JSON.stringify(head.write({ v: VERSION, position, floor, complete, entries: entries.length }))
  const rows = rowWriter()
  for (const each of entries) {
    const lines = rows.add(each)
    if (lines === undefined) yield* [...rows.flush(), JSON.stringify(entry.write({ ...each.version, change: printChange(each.change) }))]
    else yield* lines
  }
  yield* rows.flush()
}

/** Parses a stored checkpoint line by line. */
export interface CheckpointReader {
  add(line: string): void
  /** Returns the checkpoint, STORE.NEWER_SCHEMA, or INPUT.INVALID. Missing lines are INPUT.INVALID too. */
  end(): Result<Checkpoint, Problem>
}

export function createCheckpointReader(): CheckpointReader {
  const entries: Entry[] = []
  const rows = rowReader(OBJECT)
  const podRows = podRowReader(OBJECT)
  let first: Result<Head, Problem> | undefined
  let broken: Problem | undefined

  function addLine(json: unknown): void {
    if (isObject(json) && json['change'] !== undefined) return addEntry(json)
    const read = first?.ok === true && first.value.v === POD_ROWS ? podRows.read(json) : rows.read(json)
    if (read.ok) for (const each of read.value) entries.push(each)
    else broken ??= read.error
  }

  function addEntry(json: unknown): void {
    const read = decode(entry, json, { object: OBJECT })
    const change = read.ok ? parseChange(read.value.change) : read
    if (!read.ok) broken ??= read.error
    else if (!change.ok) broken ??= invalid(change.error.message)
    else entries.push({ version: { term: read.value.term, seq: read.value.seq }, change: change.value })
  }

  return {
    add(line) {
      if (broken !== undefined || first?.ok === false) return
      const json = parseJson(line, OBJECT)
      if (!json.ok) broken = json.error
      else if (first !== undefined) addLine(json.value)
      else {
        first = readHead(json.value)
        if (first.ok) for (const each of first.value.inside) addEntry(each)
      }
    },
    end() {
      if (first?.ok === false) return first
      if (broken !== undefined) return err(broken)
      if (first === undefined) return err(invalid('is empty'))
      const { count, ...rest } = first.value
      if (entries.length === count) return ok({ position: rest.position, floor: rest.floor, complete: rest.complete, entries })
      return err(invalid(`has ${entries.length} entries of ${count}; it was cut short`))
    },
  }
}

function invalid(rule: string): Problem {
  return problem('INPUT.INVALID', `${OBJECT}: ${rule}`, { object: OBJECT })
}

type Head = Omit<Checkpoint, 'entries'> & {
  readonly v: number
  readonly count: number
  /** The entries, if they are on the head line. */
  readonly inside: readonly unknown[]
}

function readHead(json: unknown): Result<Head, Problem> {
  if (isObject(json) && json['v'] === ONE_LINE) {
    const read = decode(oneLine, json, { object: OBJECT })
    return read.ok ? ok({ ...read.value, count: read.value.entries.length, inside: read.value.entries }) : read
  }
  const before = isObject(json) ? [LINES, POD_ROWS].find((each) => json['v'] === each) : undefined
  const versioned = checkVersion(before === undefined ? json : { ...(json as object), v: VERSION }, {
    object: OBJECT,
    known: VERSION,
    newer: 'STORE.NEWER_SCHEMA',
  })
  if (!versioned.ok) return versioned
  const read = decode(head, versioned.value, { object: OBJECT })
  return read.ok ? ok({ ...read.value, v: before ?? VERSION, count: read.value.entries, inside: [] }) : read
}

type Places = { readonly position: string; readonly floor: Version; readonly complete: Version }
type HeadLine = Places & { readonly v: typeof VERSION; readonly entries: number }
type EntryLine = Version & { readonly change: unknown }
type OneLine = Places & { readonly v: typeof ONE_LINE; readonly entries: readonly unknown[] }

const version: Codec<Version> = record<Version>({ term: integer, seq: integer })
const places = { position: text, floor: version, complete: version }
const head: Codec<HeadLine> = record<HeadLine>({ v: constant(VERSION), ...places, entries: integer })
const entry: Codec<EntryLine> = record<EntryLine>({ term: integer, seq: integer, change: json })
const oneLine: Codec<OneLine> = record<OneLine>({ v: constant(ONE_LINE), ...places, entries: list(json) })
