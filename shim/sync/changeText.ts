import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { ReducedVersion } from './reducedVersion.ts'

/**
 * A change whose object is a text already. An object is turned into JSON once, when it is reduced, and is never parsed again here: changes and
 * envelopes are put together from texts. `shared/wire` parses them; a test holds the two together.
 */
export type ChangeParts = {
  readonly seq: number
  readonly at: EpochMs
  readonly kind: ObjectKind
  readonly key: string
  /** `invalid`: the app does not take the object. */
  readonly op: ReducedVersion['op'] | 'invalid'
  readonly text: string
}

/** An object has its key in itself. */
export function changeText({ seq, at, kind, key, op, text }: ChangeParts): string {
  const head = `{"seq":${seq},"at":${at},"op":"${op}","kind":"${kind}"`
  const named = op === 'put' ? head : `${head},"key":${JSON.stringify(key)}`
  return text === '' ? `${named}}` : `${named},${text}}`
}

/** `kept`: the number of the lists of kept paths. */
export type EnvelopeHead = { readonly cluster: string; readonly term: number; readonly sentAt: EpochMs; readonly kept: number }

export function changesEnvelope(head: EnvelopeHead, changes: readonly string[]): string {
  return `${opening(head)},"body":{"kind":"changes","changes":[${changes.join(',')}]}}`
}

export type SnapshotPart = { readonly seq: number; readonly part: number; readonly parts: number; readonly changes: string }

/** Prints the envelope of one part of a snapshot. `changes` is the joined text of the part's changes. Parts count from 1. */
export function snapshotEnvelope(head: EnvelopeHead, { seq, part, parts, changes }: SnapshotPart): string {
  return `${opening(head)},"body":{"kind":"snapshot","seq":${seq},"part":${part},"parts":${parts},"changes":[${changes}]}}`
}

function opening({ cluster, term, sentAt, kept }: EnvelopeHead): string {
  return `{"v":2,"cluster":${JSON.stringify(cluster)},"term":${term},"sentAt":${sentAt},"kept":${kept}`
}
