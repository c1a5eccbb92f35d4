import { err, ok, type Result } from '../base/result.ts'
import type { Change, Stamp } from '../model/change.ts'
import type { CompactState } from '../model/logRecord.ts'
import { type Problem, problem } from '../model/problem.ts'
import { parseChange, printChange } from './change.ts'
import { type Codec, constant, decode, integer, json, list, record, text } from './codec.ts'
import { checkVersion, parseJson } from './version.ts'

const VERSION = 1

export function printCompactState(state: CompactState): string {
  const entries = state.entries.map(({ stamp, change }) => ({ ...stamp, change: printChange(change) }))
  return JSON.stringify(codec.write({ v: VERSION, position: state.position, floor: state.floor, complete: state.complete, entries }))
}

export function parseCompactState(text: string): Result<CompactState, Problem> {
  const json = parseJson(text, OBJECT)
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: OBJECT, known: VERSION, newer: 'STORE.NEWER_SCHEMA' })
  if (!versioned.ok) return versioned
  const outer = decode(codec, versioned.value, { object: OBJECT })
  if (!outer.ok) return outer
  const entries: { stamp: Stamp; change: Change }[] = []
  for (const { term, seq, change } of outer.value.entries) {
    const parsed = parseChange(change)
    if (!parsed.ok) return err(problem('INPUT.INVALID', `${OBJECT}: ${parsed.error.message}`, { object: OBJECT }))
    entries.push({ stamp: { term, seq }, change: parsed.value })
  }
  const { position, floor, complete } = outer.value
  return ok({ position, floor, complete, entries })
}

const OBJECT = 'compact state'

type Document = {
  readonly v: typeof VERSION
  readonly position: string
  readonly floor: Stamp
  readonly complete: Stamp
  readonly entries: readonly { readonly term: number; readonly seq: number; readonly change: unknown }[]
}

const stamp: Codec<Stamp> = record<Stamp>({ term: integer, seq: integer })

const codec: Codec<Document> = record<Document>({
  v: constant(VERSION),
  position: text,
  floor: stamp,
  complete: stamp,
  entries: list(record<Document['entries'][number]>({ term: integer, seq: integer, change: json })),
})
