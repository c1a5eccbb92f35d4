import { describe, expect, it } from 'vitest'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../model/clusterObjects.ts'
import { OBJECT_CODECS } from '../change.ts'
import { type Codec, decode } from '../codec.ts'
import { at, type Path, pathsOf, plain, withMember } from '../testing/members.ts'
import { objectFromKube } from './object.ts'
import { FULL_OBJECTS } from './testing/fullObjects.ts'

/** Members that are only compared with one text, or passed on unchanged: any value is valid. */
const ANYTHING: readonly RegExp[] = [
  /\.restartPolicy$/,
  /\.hostNetwork$/,
  /^pod spec\.volumes\.3\.rbd$/,
  /^pod status\.conditions\.[01]\.(?:type|status|reason)$/,
  /^nodeClass spec\.(?:localDNS|linuxOSConfig)(?:\.|$)/,
  /^persistentVolume spec\.azure/,
  /^persistentVolumeClaim (?:metadata\.annotations\.|status\.phase$)/,
  /^pod metadata\.managedFields(?:\.0|\.0\.fieldsV1.*)?$/,
]
/** Members of which only the presence counts. */
const ANY_VALUE = /^persistentVolume(?:Claim)? metadata\.(?:deletionTimestamp|annotations\.)/

const takesAnything = (kind: ObjectKind, path: Path): boolean => ANYTHING.some((each) => each.test(`${kind} ${path.join('.')}`))

/** Returns another value of the same type. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string') return value
  return /^\d{4}-/.test(value) ? '2026-06-06T06:06:06Z' : /^\d/.test(value) ? `1${value}` : `${value}x`
}

it('objects with every member are there of each kind', () => {
  expect(OBJECT_KINDS.filter((kind) => !FULL_OBJECTS.some((each) => each.kind === kind))).toEqual([])
})

describe.each(FULL_OBJECTS.map((each, index) => ({ ...each, name: `${each.kind} (${index})` })))('$name', ({ kind, json }) => {
  const full = objectFromKube(kind, json)
  const paths = pathsOf(json)

  it('is read whole', () => {
    expect(full).toMatchObject({ ok: true })
  })

  it('is another object without any of its members', () => {
    const ignored = paths.filter((path) => JSON.stringify(objectFromKube(kind, withMember(json, path, undefined))) === JSON.stringify(full))
    expect(ignored.map((path) => path.join('.'))).toEqual([])
  })

  it('may have null where nothing stands, as Kubernetes writes it', () => {
    const isMember = (path: Path): boolean => !Array.isArray(at(json, path.slice(0, -1))) && typeof at(json, path) !== 'string'
    const members = paths.filter((path) => isMember(path) && !takesAnything(kind, path))
    const other = members.filter((path) => {
      const [absent, empty] = [undefined, null].map((member) => objectFromKube(kind, withMember(json, path, member)))
      return JSON.stringify(absent) !== JSON.stringify(empty)
    })
    expect(other.map((path) => path.join('.'))).toEqual([])
  })

  it('is another object with another value of a member', () => {
    const values = paths.filter((path) => typeof at(json, path) !== 'object' && !ANY_VALUE.test(`${kind} ${path.join('.')}`))
    const same = values.filter((path) => {
      const read = objectFromKube(kind, withMember(json, path, another(at(json, path))))
      return JSON.stringify(read) === JSON.stringify(full)
    })
    expect(same.map((path) => path.join('.'))).toEqual([])
  })

  it('is refused by the place of a member that is of no use, and by the rule', () => {
    const members = paths.filter((path) => !takesAnything(kind, path))
    const told = members.map((path) => {
      const held = at(json, path)
      const read = objectFromKube(kind, withMember(json, path, typeof held === 'object' && !Array.isArray(held) ? [] : {}))
      const rule = Array.isArray(held) ? 'must be a list' : typeof held === 'object' ? 'must be an object' : 'must be '
      return [plain(read.ok ? undefined : read.error.path), !read.ok && read.error.message.includes(`${read.error.path} ${rule}`)]
    })
    expect(told).toEqual(members.map((path) => [path.join('.'), true]))
  })

  it('is read from our own form as it was written', () => {
    const codec: Codec<ObjectByKind[ObjectKind]> = OBJECT_CODECS[kind] as Codec<ObjectByKind[ObjectKind]>
    if (!full.ok) expect.fail(full.error.message)
    const written: unknown = JSON.parse(JSON.stringify(codec.write(full.value)))
    expect(decode(codec, written, { object: kind })).toEqual({ ok: true, value: full.value })
    const lost = pathsOf(written).filter((path) => {
      const read = decode(codec, withMember(written, path, undefined), { object: kind })
      return JSON.stringify(read) === JSON.stringify(full)
    })
    expect(lost.map((path) => path.join('.'))).toEqual([])
  })
})
