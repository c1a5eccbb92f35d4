import { ok, type Result } from '../base/result.ts'
import type { Change } from '../model/change.ts'
import type { ClusterId } from '../model/ids.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import { parseChange, printChange } from './change.ts'
import { json as anyJson, type Codec, constant, decode, integer, isObject, list, optional, record, union } from './codec.ts'
import { parseKubeChange } from './kubeChange.ts'
import { clusterIdText, instant } from './objects/shared.ts'
import { checkVersion, type Versions } from './version.ts'

/** The form of a post. Objects are Kubernetes JSON, of which the lists of `kept` keep a part. */
const VERSION = 2
/** The form of an older shim, which reads objects itself. They come in the form in which the app stores them. */
const READ_BY_SHIM = 1

/** A message that the shim posts: some changes, or one part of a full snapshot. */
export type Envelope = {
  readonly cluster: ClusterId
  /** The term of the shim leader that sends the envelope. */
  readonly term: number
  readonly sentAt: EpochMs
  /** The number of the lists of kept paths that the shim follows. Undefined: the shim has none. */
  readonly kept?: number
  readonly body: EnvelopeBody<Change>
}

export type EnvelopeBody<Item> =
  | { readonly kind: 'changes'; readonly changes: readonly Item[] }
  /** All parts have the same seq. Together they hold every object that existed at that time. */
  | { readonly kind: 'snapshot'; readonly seq: number; readonly part: number; readonly parts: number; readonly changes: readonly Item[] }

/** A change that could not be parsed. `seq` is 0 if its number could not be parsed either. */
export type RejectedChange = { readonly seq: number; readonly problem: Problem }

export type ParsedEnvelope = { readonly envelope: Envelope; readonly rejected: readonly RejectedChange[] }

/** Parses an envelope. A change that cannot be parsed is set aside with its problem, and the others are kept. */
export function parseEnvelope(json: unknown): Result<ParsedEnvelope, Problem> {
  const isOld = isObject(json) && json['v'] === READ_BY_SHIM
  const versioned = checkVersion(isOld ? { ...json, v: VERSION } : json, VERSIONS)
  if (!versioned.ok) return versioned
  const outer = decode(envelopeCodec, versioned.value, { object: 'envelope' })
  if (!outer.ok) return outer
  const { changes, rejected } = parseChanges(outer.value.body.changes, isOld ? parseChange : parseKubeChange)
  return ok({ envelope: { ...outer.value, body: { ...outer.value.body, changes } }, rejected })
}

const VERSIONS: Versions = { object: 'envelope', known: VERSION, newer: 'INPUT.UNSUPPORTED_VERSION' }

/** Prints the form of an older shim. */
export function printEnvelope(envelope: Envelope): unknown {
  const changes = envelope.body.changes.map(printChange)
  return { v: READ_BY_SHIM, ...(envelopeCodec.write({ ...envelope, body: { ...envelope.body, changes } }) as object) }
}

/** Splits a list into changes that can be parsed and changes that cannot. */
export function parseChanges(
  list: readonly unknown[],
  parse: (item: unknown) => Result<Change, Problem>,
): {
  readonly changes: readonly Change[]
  readonly rejected: readonly RejectedChange[]
} {
  const changes: Change[] = []
  const rejected: RejectedChange[] = []
  for (const item of list) {
    const parsed = parse(item)
    if (parsed.ok) changes.push(parsed.value)
    else rejected.push({ seq: seqOf(item), problem: parsed.error })
  }
  return { changes, rejected }
}

type OuterEnvelope = Omit<Envelope, 'body'> & { readonly body: EnvelopeBody<unknown> }

type Body = EnvelopeBody<unknown>

export const bodyCodec: Codec<Body> = union<Body, 'kind'>('kind', {
  changes: record<Extract<Body, { kind: 'changes' }>>({ kind: constant('changes'), changes: list(anyJson) }),
  snapshot: record<Extract<Body, { kind: 'snapshot' }>>({
    kind: constant('snapshot'),
    seq: integer,
    part: integer,
    parts: integer,
    changes: list(anyJson),
  }),
})

const envelopeCodec: Codec<OuterEnvelope> = record<OuterEnvelope>({
  cluster: clusterIdText,
  term: integer,
  sentAt: instant,
  kept: optional(integer),
  body: bodyCodec,
})

function seqOf(item: unknown): number {
  const seq = isObject(item) ? item['seq'] : undefined
  return Number.isSafeInteger(seq) ? (seq as number) : 0
}
