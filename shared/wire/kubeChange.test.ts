import { hash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { realisticPod } from '../../bench/shimPods.ts'
import type { Change } from '../model/change.ts'
import type { ObjectKind } from '../model/clusterObjects.ts'
import { clusterId } from '../model/ids.ts'
import { epochMs } from '../model/units.ts'
import { type ParsedEnvelope, parseEnvelope, printEnvelope } from './envelope.ts'
import { POST_DICTIONARY } from './kept/dictionary.ts'
import { KEPT_PATHS } from './kept/keptPaths.ts'
import { createPrune } from './kept/prune.ts'
import { SAMPLES } from './kept/testing/samples.ts'
import { objectFromKube } from './kube/object.ts'
import { FULL_OBJECTS } from './kube/testing/fullObjects.ts'
import { printLogRecord } from './logRecord.ts'

const OBJECTS: readonly { readonly kind: ObjectKind; readonly json: object }[] = [...FULL_OBJECTS, ...SAMPLES]
const HEAD = { cluster: clusterId('blue'), term: 3, sentAt: epochMs(9) }

function keyOf(json: object): string {
  const { name, namespace } = (json as { readonly metadata: { readonly name: string; readonly namespace?: string } }).metadata
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** The post of a shim that reads objects itself. */
function postOfOldShim(objects: typeof OBJECTS): unknown {
  const changes = objects.map(({ kind, json }, index): Change => {
    const read = objectFromKube(kind, json)
    const head = { seq: index + 1, at: epochMs(index), key: keyOf(json), kind }
    return (read.ok ? { ...head, op: 'put', object: read.value } : { ...head, op: 'invalid', problem: read.error }) as Change
  })
  return printEnvelope({ ...HEAD, body: { kind: 'changes', changes } })
}

/** The post of a shim that follows lists. */
function post(objects: typeof OBJECTS): unknown {
  const changes = objects.map(({ kind, json }, index) => {
    return { seq: index + 1, at: index, op: 'put', kind, object: createPrune(KEPT_PATHS[kind])(json) }
  })
  return { v: 2, ...HEAD, kept: 1, body: { kind: 'changes', changes } }
}

function parsed(json: unknown): ParsedEnvelope {
  const read = parseEnvelope(JSON.parse(JSON.stringify(json)))
  if (!read.ok) expect.fail(read.error.message)
  return read.value
}

const stored = ({ envelope }: ParsedEnvelope): string => printLogRecord({ term: 3, receivedAt: epochMs(1), body: envelope.body })

describe('objects as Kubernetes JSON', () => {
  it('are stored as those of an older shim, byte for byte', () => {
    const [old, now] = [parsed(postOfOldShim(OBJECTS)), parsed(post(OBJECTS))]
    expect(now.rejected).toEqual([])
    expect(stored(now)).toBe(stored(old))
    expect(now.envelope.kept).toBe(1)
  })

  it('that cannot be read are changes with the problem, and stop no others', () => {
    const [good] = OBJECTS
    const named = { metadata: { name: 'default', uid: 'u' } }
    const objects = [...(good ? [good] : []), { kind: 'nodePool' as const, json: named }, ...(good ? [good] : [])]
    expect(parsed(post(objects)).envelope.body.changes).toMatchObject([
      { op: 'put' },
      { seq: 2, op: 'invalid', kind: 'nodePool', key: 'default', problem: { code: 'POOL.INVALID', path: 'spec' } },
      { op: 'put' },
    ])
    expect(stored(parsed(post(objects)))).toBe(stored(parsed(postOfOldShim(objects))))
  })

  it('without a name or a kind are rejected, each with its number, and stop no others', () => {
    const bad = [
      { seq: 4, at: 1, op: 'put', kind: 'pod', object: {} },
      { seq: 5, at: 1, op: 'put', kind: 'teapot', object: { metadata: { name: 'a' } } },
      { seq: 6, at: 1, op: 'put', kind: 'pod' },
      { seq: 7, at: 1, op: 'put', kind: 'pod', object: { metadata: { name: 7 } } },
    ]
    const deletion = { seq: 8, at: 1, op: 'delete', kind: 'pod', key: 'a/b' }
    const { envelope, rejected } = parsed({ v: 2, ...HEAD, body: { kind: 'changes', changes: [...bad, deletion] } })
    expect(envelope.body.changes).toEqual([deletion])
    expect(rejected).toMatchObject([
      { seq: 4, problem: { code: 'INPUT.INVALID', message: 'change 4: object has no name' } },
      { seq: 5, problem: { path: 'kind' } },
      { seq: 6, problem: { path: 'object' } },
      { seq: 7, problem: { message: 'change 7: object has no name' } },
    ])
  })
})

describe('the dictionary of posts', () => {
  it('is the one that shims have', () => {
    expect(hash('sha256', POST_DICTIONARY).slice(0, 12), 'a text of its own needs a form of the post of its own').toBe('eef23b294984')
  })

  it('packs a post of one pod to less than half', () => {
    const text = JSON.stringify(post([{ kind: 'pod', json: realisticPod(1, { pending: true }) }]))
    const plain = deflateSync(text, { level: 1 }).length
    expect(deflateSync(text, { level: 1, dictionary: Buffer.from(POST_DICTIONARY) }).length).toBeLessThan(plain / 2)
  })
})
