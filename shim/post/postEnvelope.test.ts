import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOnLoopback } from '../testing/listenOnLoopback.ts'
import { unpacked } from '../testing/unpacked.ts'
import { createVirtualClock } from '../testing/virtualClock.ts'
import { createPostEnvelope, type PostOutcome } from './postEnvelope.ts'

type Answer = { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly text?: string }

const NEVER = new AbortController().signal

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** An app that gives one answer, and the requests that it received. */
async function setUp({ status, headers = {}, text = '{}' }: Answer, { functionKey, token }: { functionKey?: string; token?: string } = {}) {
  const state = { status, text, readsGzipOnly: false }
  const sent: {
    readonly method: string | undefined
    readonly url: string | undefined
    readonly headers: IncomingHttpHeaders
    readonly bytes: Buffer
  }[] = []
  const { port, close } = await listenOnLoopback(
    createServer((request, response) => {
      void bytesOf(request).then((bytes) => {
        sent.push({ method: request.method, url: request.url, headers: request.headers, bytes })
        const isUnread = state.readsGzipOnly && request.headers['content-encoding'] !== 'gzip'
        if (isUnread) response.writeHead(400).end('{"code":"INPUT.INVALID","message":"the body is not JSON"}')
        else response.writeHead(state.status, headers).end(state.text)
      })
    }),
  )
  onTestFinished(close)
  const asked = { forgotten: 0 }
  const tokens =
    token === undefined ? undefined : { token: () => Promise.resolve({ token, expiresAt: 0 }), forget: () => void asked.forgotten++ }
  const endpoint = new URL(`http://127.0.0.1:${port}/prefix/`)
  const post = createPostEnvelope({ endpoint, cluster: 'demo', functionKey: () => functionKey, tokens, proxy: {} }, createVirtualClock())
  return { post, sent, asked, close, state }
}

describe('an envelope', () => {
  it('goes packed to the address of its cluster, with key and token', async () => {
    const { post, sent } = await setUp({ status: 202 }, { functionKey: 'the-key', token: 'the-token' })
    await post('{"v":1}', NEVER)
    expect(sent[0]).toMatchObject({ method: 'POST', url: '/prefix/api/clusters/demo/events' })
    expect(sent[0]?.headers).toMatchObject({
      accept: 'application/x-ndjson, application/json',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-functions-key': 'the-key',
      authorization: 'Bearer the-token',
    })
    expect(gunzipSync(sent[0]?.bytes ?? '').toString('utf8')).toBe('{"v":1}')
  })

  it('goes packed with the dictionary of posts once the app has taken one', async () => {
    const { post, sent, state } = await setUp({ status: 503 })
    const encodings = () => sent.map(({ headers }) => headers['content-encoding'])
    await post('{"v":2}', NEVER)
    state.status = 202
    for (const text of ['{"v":2}', '{"v":2,"term":1}']) expect(await post(text, NEVER)).toMatchObject({ kind: 'accepted' })
    expect(encodings()).toEqual(['gzip', 'gzip', 'deflate'])
    expect(unpacked(sent[2]?.bytes ?? Buffer.from(''), 'deflate')).toBe('{"v":2,"term":1}')
  })

  it('that an older app cannot unpack goes again in a form that it can, so that the app says what is wrong', async () => {
    const { post, sent, state } = await setUp({ status: 202 })
    await post('{}', NEVER)
    Object.assign(state, { status: 400, text: '{"code":"INPUT.UNSUPPORTED_VERSION","message":"too new"}', readsGzipOnly: true })
    expect(await post('{}', NEVER)).toEqual({ kind: 'refused', status: 400, message: 'too new' })
    expect(await post('{}', NEVER)).toMatchObject({ kind: 'refused' })
    expect(sent.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'deflate', 'gzip', 'gzip'])
  })

  it('goes without a key or a token where there is none', async () => {
    const { post, sent } = await setUp({ status: 202 })
    await post('{}', NEVER)
    expect(Object.keys(sent[0]?.headers ?? {}).filter((name) => ['x-functions-key', 'authorization'].includes(name))).toEqual([])
  })

  it('to nobody failed, and does not throw', async () => {
    const { post, close } = await setUp({ status: 202 })
    await close()
    expect(await post('{}', NEVER)).toMatchObject({ kind: 'failed', status: undefined, message: expect.stringContaining('ECONNREFUSED') })
  })

  it('whose sender stops is given up', async () => {
    const { post } = await setUp({ status: 202 })
    const stopping = new AbortController()
    const posting = post('{}', stopping.signal)
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await expect(posting).rejects.toThrow('stopped')
  })
})

describe('an answer that stays open', () => {
  /** An app that writes lines when the test says so. */
  async function setUpLines() {
    const got = Promise.withResolvers<ServerResponse>()
    const { port, close } = await listenOnLoopback(
      createServer((request, response) => void bytesOf(request).then(() => got.resolve(response))),
    )
    onTestFinished(close)
    const endpoint = new URL(`http://127.0.0.1:${port}`)
    const post = createPostEnvelope(
      { endpoint, cluster: 'demo', functionKey: () => undefined, tokens: undefined, proxy: {} },
      createVirtualClock(),
    )
    const posted = post('{}', NEVER)
    const response = await got.promise
    response.writeHead(202, { 'content-type': 'application/x-ndjson' })
    return { posted, response }
  }

  const endOf = (outcome: PostOutcome) => (outcome.kind === 'accepted' ? outcome.end : expect.fail(outcome.kind))

  it('is taken with its first line, and says at its end when to come again', async () => {
    const { posted, response } = await setUpLines()
    response.write('{"accepted":1,"rejected":[],"sendSnapshot":"change 7 ')
    response.write('never came"}\n')
    const outcome = await posted
    expect(outcome).toMatchObject({ kind: 'accepted', sendSnapshot: 'change 7 never came' })
    response.end('{"again":4000}\n')
    expect(await endOf(outcome)).toEqual({ kind: 'done', again: 4_000 })
  })

  it('may leave it to another answer when to come again, and may stay open after that', async () => {
    const { posted, response } = await setUpLines()
    response.write('{"accepted":1}\n{"again":null}\n')
    expect(await endOf(await posted)).toEqual({ kind: 'done', again: undefined })
    response.end()
  })

  it.each(['', '{"again":40'])('is broken if it ends before its last line: %j', async (rest) => {
    const { posted, response } = await setUpLines()
    response.write('{"accepted":1}\n')
    const outcome = await posted
    response.write(rest)
    response.destroy()
    expect(await endOf(outcome)).toEqual({ kind: 'broken' })
  })

  it('counts as no answer if it ends before its first line', async () => {
    const { posted, response } = await setUpLines()
    response.end('{"accep')
    expect(await posted).toMatchObject({ kind: 'failed', status: undefined })
  })
})

describe('the answer to an envelope', () => {
  const problem = (code: string, fields?: object) => JSON.stringify({ code, message: 'because', fields })
  const invalid = problem('INPUT.INVALID')
  const outcomes: readonly (readonly [status: number, text: string, outcome: Partial<PostOutcome>])[] = [
    [202, '{"accepted":1,"rejected":[]}', { kind: 'accepted', rejected: [], sendSnapshot: undefined }],
    [200, '{"sendSnapshot":"change 7 never came"}', { kind: 'accepted', rejected: [], sendSnapshot: 'change 7 never came' }],
    [202, '', { kind: 'accepted', rejected: [] }],
    [
      202,
      '{"rejected":[{"seq":2,"problem":{"code":"INPUT.INVALID","message":"no"}},{"seq":3}]}',
      {
        kind: 'accepted',
        rejected: [
          { seq: 2, code: 'INPUT.INVALID', message: 'no' },
          { seq: 3, code: 'unknown', message: '' },
        ],
      },
    ],
    [400, invalid, { kind: 'malformed', code: 'INPUT.INVALID', message: 'because' }],
    [422, 'not ours', { kind: 'malformed', code: 'INPUT.INVALID', message: 'not ours' }],
    [413, 'a proxy says no', { kind: 'tooLarge', message: 'a proxy says no' }],
    [400, problem('INPUT.UNKNOWN_CLUSTER'), { kind: 'refused', status: 400, message: 'because' }],
    [422, problem('INPUT.UNSUPPORTED_VERSION'), { kind: 'refused', status: 422, message: 'because' }],
    [401, '', { kind: 'refused', status: 401, message: '' }],
    [403, '[]', { kind: 'refused', status: 403, message: '[]' }],
    [404, 'null', { kind: 'refused', status: 404, message: 'null' }],
    [409, problem('INPUT.OLD_TERM', { newestTerm: 7_000 }), { kind: 'outdated', newestTerm: 7_000, message: 'because' }],
    [409, problem('INPUT.OLD_TERM'), { kind: 'failed', status: 409, message: 'because' }],
    [409, problem('STORE.CONFLICT', { newestTerm: 7_000 }), { kind: 'failed', status: 409, message: 'because' }],
    [500, invalid, { kind: 'failed', status: 500, message: 'because' }],
    [503, 'starting', { kind: 'failed', status: 503, message: 'starting' }],
  ]
  it.each(outcomes)('%i %s', async (status, text, outcome) => {
    const { post } = await setUp({ status, text })
    const { bytes: _bytes, ...said } = { bytes: 0, ...(await post('{}', NEVER)) }
    expect(said).toEqual(outcome.kind === 'accepted' ? { sendSnapshot: undefined, ...outcome } : outcome)
  })

  it('tells how much went over the wire', async () => {
    const { post, sent } = await setUp({ status: 202 })
    expect(await post('{"v":1}', NEVER)).toMatchObject({ bytes: sent[0]?.bytes.length })
  })

  it('may ask for patience', async () => {
    const { post } = await setUp({ status: 503, headers: { 'retry-after': '12' } })
    expect(await post('{}', NEVER)).toMatchObject({ kind: 'failed', status: 503, retryAfterMs: 12_000 })
  })
})

describe('a token', () => {
  it.each([
    [401, 1],
    [403, 0],
    [503, 0],
    [202, 0],
  ])('answered by %i is forgotten %i times', async (status, times) => {
    const { post, asked } = await setUp({ status }, { token: 't' })
    await post('{}', NEVER)
    expect(asked.forgotten).toBe(times)
  })
})
