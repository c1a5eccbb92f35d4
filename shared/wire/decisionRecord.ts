import type { Result } from '../base/result.ts'
import type { DecisionRecord, MovesSum } from '../model/ledger.ts'
import type { Problem } from '../model/problem.ts'
import type { MicroUsdPerHour } from '../model/units.ts'
import { as, decode, integer, number, optional, record, text } from './codec.ts'
import { decision } from './objects/decision.ts'
import { instant } from './objects/shared.ts'
import { checkVersion, parseJson } from './version.ts'

const VERSION = 1
const OBJECT = 'decision record'

export function printDecisionRecord(record: DecisionRecord): string {
  return JSON.stringify({ v: VERSION, ...(codec.write(record) as object) })
}

export function parseDecisionRecord(text: string): Result<DecisionRecord, Problem> {
  const json = parseJson(text, OBJECT)
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: OBJECT, known: VERSION, newer: 'STORE.NEWER_SCHEMA' })
  return versioned.ok ? decode(codec, versioned.value, { object: OBJECT }) : versioned
}

const codec = record<DecisionRecord>({
  number: integer,
  epoch: integer,
  takenAt: instant,
  position: text,
  decision,
  decideMs: number,
  moved: optional(
    record<MovesSum>({ nodes: integer, replacements: integer, pods: integer, saving: optional(as<MicroUsdPerHour>(integer)) }),
  ),
})
