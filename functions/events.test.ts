import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { PutOf } from '../shared/model/change.ts'
import { clusterId } from '../shared/model/ids.ts'
import { problem } from '../shared/model/problem.ts'
import { printEnvelope } from '../shared/wire/envelope.ts'
import { POST_DICTIONARY } from '../shared/wire/kept/dictionary.ts'
import { KEPT_LISTS } from '../shared/wire/kept/told.ts'
import { pod } from '../test/builders/pod.ts'
import { CLUSTERS, createTestApp, type HttpCall, NOW, type TestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const SHIM = { cluster: 'alpha', authorization: 'Bearer shim-a' }

const put = (seq: number, name: string): PutOf<'pod'> => ({
  seq,
  at: NOW,
  op: 'put',
  kind: 'pod',
  key: `default/${name}`,
  object: pod({ name }),
})

function envelope(changes: readonly PutOf<'pod'>[], cluster = 'alpha'): { body: { changes: unknown[] } & Record<string, unknown> } {
  const body = { kind: 'changes' as const, changes }
  return printEnvelope({ cluster: clusterId(cluster), term: 1, sentAt: NOW, body }) as never
}

function packed(json: unknown): Pick<HttpCall, 'body' | 'headers'> {
  return { body: gzipSync(JSON.stringify(json)), headers: { 'content-encoding': 'gzip' } }
}

/** Returns how many records and keys all clusters of the app have. */
async function tracesIn(app: TestApp): Promise<number> {
  let traces = 0
  for (const name of CLUSTERS) {
    const { ports } = app.worlds[name]
    traces += (await ports.log.read(undefined, NEVER)).records.length + app.covers[name].queue.size()
  }
  return traces
}

describe('events', () => {
  it('takes a batch: into the log, and a decision is asked for', async () => {
    const app = createTestApp()
    const answer = await app.request('events', { ...SHIM, ...packed(envelope([put(1, 'a'), put(2, 'b')])) })
    expect(answer).toMatchObject({ status: 202, jsonBody: { accepted: 2, rejected: [] } })
    const { ports } = app.worlds.alpha
    const { records } = await ports.log.read(undefined, NEVER)
    expect(records.map((record) => record.body.changes.map((change) => change.key))).toEqual([['default/a', 'default/b']])
    expect(app.covers.alpha.queue.get()).toMatchObject({ key: 'decide', requests: [{ because: 'changes' }] })
  })

  it('takes objects as Kubernetes JSON, packed with the dictionary of posts, and reads them', async () => {
    const app = createTestApp()
    const put = (seq: number, name: string, spec: object): object => {
      return { seq, at: NOW, op: 'put', kind: 'pod', object: { metadata: { name, namespace: 'default', uid: name }, spec } }
    }
    const body = { kind: 'changes', changes: [put(1, 'a', { priority: 7 }), put(2, 'b', { priority: 'high' })] }
    const json = { v: 2, cluster: 'alpha', term: 1, sentAt: NOW, kept: KEPT_LISTS.number, body }
    const packedSmall = deflateSync(JSON.stringify(json), { dictionary: Buffer.from(POST_DICTIONARY) })
    const answer = await app.request('events', { ...SHIM, body: packedSmall, headers: { 'content-encoding': 'deflate' } })
    expect(answer).toMatchObject({ status: 202 })
    expect(answer.jsonBody).toEqual({ accepted: 2, rejected: [] })
    const { records } = await app.worlds.alpha.ports.log.read(undefined, NEVER)
    expect(records[0]?.body.changes).toMatchObject([
      { op: 'put', key: 'default/a', object: { priority: 7 } },
      { op: 'invalid', key: 'default/b', problem: { code: 'POD.INVALID', path: 'spec.priority' } },
    ])
  })

  it.each([
    ['earlier lists', { v: 2, kept: KEPT_LISTS.number - 1 }, KEPT_LISTS],
    ['later lists', { v: 2, kept: KEPT_LISTS.number + 1 }, undefined],
    ['none, and reads objects itself', { v: 1 }, undefined],
  ])('tells its lists of kept paths to a shim that follows %s', async (_, head, kept) => {
    const app = createTestApp()
    const json = { cluster: 'alpha', term: 1, sentAt: NOW, body: { kind: 'changes', changes: [] }, ...head }
    const answer = await app.request('events', { ...SHIM, ...packed(json) })
    expect(answer.jsonBody).toEqual({
      accepted: 0,
      rejected: [],
      ...(kept === undefined ? {} : { kept }),
    })
  })

  it('names a change it cannot read and keeps the others', async () => {
    const app = createTestApp()
    const json = envelope([put(1, 'a'), put(2, 'b'), put(3, 'c')])
    json.body.changes[1] = { ...(json.body.changes[1] as object), object: 7 }
    const answer = await app.request('events', { ...SHIM, ...packed(json) })
    expect(answer).toMatchObject({ status: 202, jsonBody: { accepted: 2, rejected: [{ seq: 2, problem: { code: 'INPUT.INVALID' } }] } })
    const { records } = await app.worlds.alpha.ports.log.read(undefined, NEVER)
    expect(records[0]?.body.changes.map((change) => [change.seq, change.op])).toEqual([
      [1, 'put'],
      [3, 'put'],
      [2, 'invalid'],
    ])
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('change 2') }),
    )
  })

  it.each<[string, HttpCall, number, string]>([
    ['no token', { cluster: 'alpha' }, 401, 'INPUT.UNAUTHENTICATED'],
    ['an expired token', { cluster: 'alpha', authorization: 'Bearer expired' }, 401, 'INPUT.UNAUTHENTICATED'],
    ['the shim of another cluster', { cluster: 'beta', authorization: 'Bearer shim-a' }, 403, 'INPUT.FORBIDDEN'],
    ['an identity nobody listed', { cluster: 'alpha', authorization: 'Bearer someone' }, 403, 'INPUT.FORBIDDEN'],
    ['a cluster that does not exist', { cluster: 'gamma', authorization: 'Bearer shim-a' }, 403, 'INPUT.FORBIDDEN'],
    ['an envelope of another cluster', { ...SHIM, ...packed(envelope([put(1, 'a')], 'beta')) }, 403, 'INPUT.FORBIDDEN'],
    ['a body that is not JSON', { ...SHIM, body: 'pods: []' }, 400, 'INPUT.INVALID'],
    ['a body that only says it is gzip', { ...SHIM, body: '{}', headers: { 'content-encoding': 'gzip' } }, 400, 'INPUT.INVALID'],
    [
      'a body packed with another dictionary',
      { ...SHIM, body: deflateSync('{}', { dictionary: Buffer.from('{}') }), headers: { 'content-encoding': 'deflate' } },
      400,
      'INPUT.INVALID',
    ],
    ['a body packed as nobody packs', { ...SHIM, body: '{}', headers: { 'content-encoding': 'constructor' } }, 400, 'INPUT.INVALID'],
    ['a small body that unpacks to a large one', { ...SHIM, ...packed('x'.repeat(17 << 20)) }, 413, 'INPUT.TOO_LARGE'],
    ['an envelope without a cluster', { ...SHIM, ...packed({ ...envelope([]), cluster: undefined }) }, 400, 'INPUT.INVALID'],
    ['an envelope of a later version', { ...SHIM, ...packed({ ...envelope([]), v: 99 }) }, 400, 'INPUT.UNSUPPORTED_VERSION'],
    ['a list for an envelope', { ...SHIM, ...packed([]) }, 400, 'INPUT.INVALID'],
  ])('refuses %s and leaves no trace', async (_, call, status, code) => {
    const app = createTestApp()
    const answer = await app.request('events', { ...packed(envelope([put(1, 'a')])), ...call })
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code, message: expect.any(String) })
    expect(await tracesIn(app)).toBe(0)
  })

  it.each([
    ['a term that is over', problem('INPUT.OLD_TERM', 'term 1 is over', { fields: { newestTerm: 2 } }), 409],
    ['a change that no block holds', problem('INPUT.TOO_LARGE', 'too many bytes'), 413],
    ['what storage does not take now', problem('STORE.UNAVAILABLE', 'storage is away', { retryAfterMs: 4_500 }), 503],
  ])('answers %s with its code, and tells it', async (_, why, status) => {
    const app = createTestApp()
    app.worlds.alpha.failCall('log.append', 1, { when: 'before', how: 'fault', problem: why })
    const post = packed(envelope([put(1, 'a')]))
    const answer = await app.request('events', { ...SHIM, ...post, headers: { ...post.headers, accept: 'application/x-ndjson' } })
    expect(answer.status).toBe(status)
    expect(JSON.parse(String(answer.body))).toEqual(why)
    expect(app.covers.alpha.isOpen(), 'after the function').toBe(false)
    expect(answer.headers).toMatchObject(status === 503 ? { 'retry-after': '5' } : {})
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining(why.message) }),
    )
  })

  it('keeps to the shim whatever term somebody else posted with a valid token', async () => {
    const app = createTestApp()
    const json = envelope([put(1, 'a')])
    const far = await app.request('events', { ...SHIM, ...packed({ ...json, term: Number.MAX_SAFE_INTEGER }) })
    expect(JSON.parse(String(far.body))).toMatchObject({ code: 'INPUT.INVALID', path: 'term' })
    expect(await app.request('events', { ...SHIM, ...packed({ ...json, term: 2 }) })).toMatchObject({ status: 202 })
  })

  it('does not call a bug a refusal, and answers all the same', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('log.append', 1, { when: 'before', how: 'kill' })
    expect(await app.request('events', { ...SHIM, ...packed(envelope([put(1, 'a')])) })).toEqual({ status: 500 })
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('killed'), fields: { work: 'events' } }),
    )
  })

  it('takes an empty post: nothing is stored, and the answer says whether everything is to be sent again', async () => {
    const app = createTestApp()
    const empty = { ...SHIM, ...packed(envelope([])) }
    expect(await app.request('events', empty)).toEqual({ status: 202, jsonBody: { accepted: 0, rejected: [] } })
    await app.worlds.alpha.ports.log.requestSnapshot('change 7 never came', NEVER)
    await app.worlds.alpha.clock.advance(2_000)
    expect((await app.request('events', empty)).jsonBody).toMatchObject({ sendSnapshot: 'change 7 never came' })
    expect(await tracesIn(app)).toBe(0)
  })

  it('refuses an empty post of a shim whose term is over, as one with changes', async () => {
    const app = createTestApp()
    await app.request('events', { ...SHIM, ...packed({ ...envelope([put(1, 'a')]), term: 8 }) })
    for (const changes of [[], [put(2, 'b')]]) {
      const answer = await app.request('events', { ...SHIM, ...packed({ ...envelope(changes), term: 7 }) })
      expect(answer.status).toBe(409)
      expect(JSON.parse(String(answer.body))).toMatchObject({ code: 'INPUT.OLD_TERM', fields: { newestTerm: 8 } })
    }
  })

  it('names the field of a malformed envelope', async () => {
    const answer = await createTestApp().request('events', { ...SHIM, ...packed({ ...envelope([]), term: 'first' }) })
    expect(JSON.parse(String(answer.body))).toMatchObject({ path: 'term' })
  })
})

describe('status', () => {
  it('says that the app is up', async () => {
    expect(await createTestApp().request('status', {})).toMatchObject({ status: 200, jsonBody: { status: 'ok' } })
  })

  it('tells of a cluster only to its readers', async () => {
    const app = createTestApp()
    const reader = { cluster: 'alpha', authorization: 'Bearer reader-a' }
    expect(await app.request('cluster-status', reader)).toMatchObject({ status: 200 })
    expect(await app.request('cluster-status', { ...reader, cluster: 'beta' })).toMatchObject({ status: 403 })
    expect(await app.request('cluster-status', { cluster: 'alpha' })).toMatchObject({ status: 401 })
  })
})
