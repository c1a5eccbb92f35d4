import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../base/json.ts'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import { OBJECT_CODECS } from '../change.ts'
import { type Codec, decode } from '../codec.ts'
import { at, pathsOf, withMember } from '../testing/members.ts'
import { objectFromKube } from './object.ts'
import { FULL_OBJECTS } from './testing/fullObjects.ts'

/** The members of Kubernetes objects that are records with keys of users. */
const RECORDS = new Set(
  'labels annotations nodeSelector matchLabels requests limits capacity allocatable overhead tags parameters data selector'.split(' '),
)
/** Plain objects answer to these words. No object of the tests has them. */
const WORDS = Object.getOwnPropertyNames(Object.prototype)

/** Returns the object with one more key in each of its records, beside the keys that are there. */
function withKey(json: unknown, key: string): unknown {
  const records = pathsOf(json).filter((path) => RECORDS.has(path.at(-1) ?? '') && isRecordOfScalars(at(json, path)))
  return records.reduce((changed, path) => {
    const record: object = Object(at(json, path))
    return withMember(changed, path, { ...record, [key]: Object.values(record)[0] ?? '1' })
  }, json)
}

function isRecordOfScalars(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((each) => typeof each !== 'object')
  )
}

/** What becomes of a manifest: in memory, and again after our own form. */
function passages(kind: ObjectKind, json: unknown): readonly string[] {
  const codec: Codec<ObjectByKind[ObjectKind]> = OBJECT_CODECS[kind] as Codec<ObjectByKind[ObjectKind]>
  const read = objectFromKube(kind, JSON.parse(JSON.stringify(json)))
  if (!read.ok) return [read.error.message]
  const written = JSON.stringify(codec.write(read.value))
  return [canonicalJson(read.value), written, canonicalJson(decode(codec, JSON.parse(written), { object: kind }))]
}

describe.each(FULL_OBJECTS.map((each, index) => ({ ...each, name: `${each.kind} (${index})` })))('$name', ({ kind, json }) => {
  it.each(WORDS)('is read and written with a key %s as with any other', (word) => {
    const ordinary = `ordinary${'x'.repeat(word.length)}`
    const sorted = (texts: readonly string[]) => texts.map((text) => Array.from(text.replaceAll(ordinary, word)).sort().join(''))
    expect(sorted(passages(kind, withKey(json, word)))).toEqual(sorted(passages(kind, withKey(json, ordinary))))
  })
})

it('some objects keep such a key', () => {
  const keeping = FULL_OBJECTS.filter(({ kind, json }) =>
    passages(kind, withKey(json, '__proto__')).every((text) => text.includes('__proto__')),
  )
  expect(keeping.length).toBeGreaterThan(5)
})
