import type { Result } from '../base/result.ts'
import { LEDGER_SCHEMA, type Ledger, type Rest } from '../model/ledger.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import { as, decode, integer, list, optional, orElse, record, text } from './codec.ts'
import { claimRefusal } from './objects/claimRefusal.ts'
import { intent, nomination, provisioningCursor } from './objects/decision.ts'
import { backOff, disruptionCommand } from './objects/disruptionCommand.ts'
import { begunMove, extraNodes, moveRest } from './objects/rememberedMoves.ts'
import { schedulerRefusal } from './objects/schedulerRefusal.ts'
import { clusterIdText } from './objects/shared.ts'
import { shortSize } from './objects/shortSize.ts'
import { checkVersion, parseJson } from './version.ts'

export function printLedger(ledger: Ledger): string {
  return JSON.stringify({ v: LEDGER_SCHEMA, ...(codec.write(ledger) as object) })
}

export function parseLedger(text: string): Result<Ledger, Problem> {
  const json = parseJson(text, 'ledger')
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: 'ledger', known: LEDGER_SCHEMA, newer: 'STORE.NEWER_SCHEMA' })
  return versioned.ok ? decode(codec, versioned.value, { object: 'ledger' }) : versioned
}

const codec = record<Ledger>({
  schema: integer,
  cluster: clusterIdText,
  epoch: integer,
  decisions: integer,
  intents: list(intent),
  nominations: list(nomination),
  commands: orElse(list(disruptionCommand), []),
  backOffs: orElse(list(backOff), []),
  begunMoves: optional(list(begunMove)),
  moveRests: optional(list(moveRest)),
  extraNodes: optional(list(extraNodes)),
  provisioningCursor: optional(provisioningCursor),
  schedulerRefusals: optional(list(schedulerRefusal)),
  shortSizes: optional(list(shortSize)),
  claimRefusals: optional(list(claimRefusal)),
  rest: optional(record<Rest>({ position: text, until: as<EpochMs>(integer) })),
})
