import { ok, type Result } from '../base/result.ts'
import type { ClusterId, VmSizeName, ZoneName } from '../model/ids.ts'
import { PROBLEM_CODES, type Problem } from '../model/problem.ts'
import type { RefusedAgain, UnavailableOffering, UnavailableScope } from '../model/unavailableOffering.ts'
import type { DurationMs } from '../model/units.ts'
import { as, type Codec, constant, decode, integer, list, oneOf, optional, record, text, union } from './codec.ts'
import { capacityType } from './objects/decision.ts'
import { instant } from './objects/shared.ts'
import { checkVersion, parseJson } from './version.ts'

const VERSION = 1
const OBJECT = 'unavailable offerings'

export function printUnavailable(offerings: readonly UnavailableOffering[]): string {
  return JSON.stringify(codec.write({ v: VERSION, offerings }))
}

export function parseUnavailable(text: string): Result<readonly UnavailableOffering[], Problem> {
  const json = parseJson(text, OBJECT)
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: OBJECT, known: VERSION, newer: 'STORE.NEWER_SCHEMA' })
  if (!versioned.ok) return versioned
  const parsed = decode(codec, versioned.value, { object: OBJECT })
  return parsed.ok ? ok(parsed.value.offerings) : parsed
}

type Document = { readonly v: typeof VERSION; readonly offerings: readonly UnavailableOffering[] }

const zone = optional(as<ZoneName>(text))

const scope: Codec<UnavailableScope> = union<UnavailableScope, 'kind'>('kind', {
  offering: record<Extract<UnavailableScope, { kind: 'offering' }>>({
    kind: constant('offering'),
    size: as<VmSizeName>(text),
    zone,
    capacityType: optional(capacityType),
  }),
  family: record<Extract<UnavailableScope, { kind: 'family' }>>({
    kind: constant('family'),
    family: text,
    minCpus: integer,
    zone,
    capacityType: optional(capacityType),
  }),
  capacityType: record<Extract<UnavailableScope, { kind: 'capacityType' }>>({ kind: constant('capacityType'), capacityType }),
})

/** Added later. A program that does not know it ignores it, and blocks for the time of a first refusal. */
const again = optional(record<RefusedAgain>({ times: integer, at: instant, openedAt: instant, firstMs: as<DurationMs>(integer) }))

const codec: Codec<Document> = record<Document>({
  v: constant(VERSION),
  offerings: list(
    record<UnavailableOffering>({
      scope,
      of: optional(as<ClusterId>(text)),
      until: instant,
      code: oneOf(...PROBLEM_CODES),
      message: text,
      again,
    }),
  ),
})
