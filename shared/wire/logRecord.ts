import { err, ok, type Result } from '../base/result.ts'
import type { LogRecord } from '../model/logRecord.ts'
import { type Problem, problem } from '../model/problem.ts'
import { parseChange, printChange } from './change.ts'
import { type Codec, constant, decode, integer, record } from './codec.ts'
import { bodyCodec, type EnvelopeBody, parseChanges } from './envelope.ts'
import { instant } from './objects/shared.ts'
import { checkVersion, parseJson } from './version.ts'

const VERSION = 1

/** Prints one record of the log as one line of JSON, without a line end. */
export function printLogRecord({ term, receivedAt, body }: LogRecord): string {
  return JSON.stringify(codec.write({ v: VERSION, term, receivedAt, body: { ...body, changes: body.changes.map(printChange) } }))
}

/** Parses one line. Changes are checked before they are logged, so a change that cannot be parsed makes the whole record invalid. */
export function parseLogRecord(line: string): Result<LogRecord, Problem> {
  const json = parseJson(line, OBJECT)
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: OBJECT, known: VERSION, newer: 'STORE.NEWER_SCHEMA' })
  if (!versioned.ok) return versioned
  const outer = decode(codec, versioned.value, { object: OBJECT })
  if (!outer.ok) return outer
  const { term, receivedAt, body } = outer.value
  const { changes, rejected } = parseChanges(body.changes, parseChange)
  const [first] = rejected
  if (first) return err(problem('INPUT.INVALID', `${OBJECT}: ${first.problem.message}`, { object: OBJECT, ...pathOf(first.problem) }))
  return ok({ term, receivedAt, body: { ...body, changes } })
}

const OBJECT = 'log record'

type Line = {
  readonly v: typeof VERSION
  readonly term: number
  readonly receivedAt: LogRecord['receivedAt']
  readonly body: EnvelopeBody<unknown>
}

const codec: Codec<Line> = record<Line>({ v: constant(VERSION), term: integer, receivedAt: instant, body: bodyCodec })

function pathOf({ path }: Problem): { readonly path?: string } {
  return path === undefined ? {} : { path }
}
