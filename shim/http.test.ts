import { createServer, type ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { open, readText, retryAfterMs, send } from './http.ts'
import { createPostEnvelope } from './post/postEnvelope.ts'
import { listenOnLoopback } from './testing/listenOnLoopback.ts'
import { createVirtualClock } from './testing/virtualClock.ts'

const NEVER = new AbortController().signal
const NOW = Date.parse('2026-11-01T10:00:00Z')

async function serverThat(answer: (response: ServerResponse) => void): Promise<URL> {
  const { port, close } = await listenOnLoopback(createServer((_, response) => answer(response)))
  onTestFinished(close)
  return new URL(`http://127.0.0.1:${port}/watch`)
}

describe('retry-after', () => {
  it.each([
    ['7', 7_000],
    ['0.5', 500],
    ['Sun, 01 Nov 2026 10:01:30 GMT', 90_000],
    ['Sun, 01 Nov 2026 09:59:00 GMT', undefined],
    ['0', undefined],
    ['-3', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('of %j is %j ms', (value, wanted) => {
    expect(retryAfterMs(value === undefined ? {} : { 'retry-after': value }, NOW)).toBe(wanted)
  })
})

describe('a connection', () => {
  it('that never answers is given up after its silence', async () => {
    const url = await serverThat(() => {})
    await expect(send({ method: 'GET', url, silenceMs: 30 }, NEVER)).rejects.toMatchObject({
      problem: { code: 'NETWORK.FAILED', message: expect.stringContaining('no answer in time') },
    })
  })

  it('that falls silent in the middle of an answer is given up as well: so a dead watch is noticed', async () => {
    const url = await serverThat((response) => void response.writeHead(200).write('half'))
    const request = { method: 'GET', url, silenceMs: 30 }
    const response = await open(request, NEVER)
    await expect(readText(response, request)).rejects.toMatchObject({ problem: { code: 'NETWORK.FAILED' } })
  })
})

describe('a token', () => {
  const tokens = () => {
    const asked = { forgotten: 0 }
    return { asked, source: { token: () => Promise.resolve({ token: 't', expiresAt: 0 }), forget: () => void asked.forgotten++ } }
  }

  it.each([
    [401, 1],
    [403, 0],
    [503, 0],
    [202, 0],
  ])('answered by %i is forgotten %i times', async (status, times) => {
    const endpoint = await serverThat((response) => void response.writeHead(status).end('{}'))
    const { asked, source } = tokens()
    const post = createPostEnvelope({ endpoint, cluster: 'demo', functionKey: () => undefined, tokens: source }, createVirtualClock())
    await post('{}', NEVER)
    expect(asked.forgotten).toBe(times)
  })

  it('is waited for as long as the app says', async () => {
    const endpoint = await serverThat((response) => void response.writeHead(503, { 'retry-after': '12' }).end('{}'))
    const post = createPostEnvelope({ endpoint, cluster: 'demo', functionKey: () => undefined, tokens: undefined }, createVirtualClock())
    expect(await post('{}', NEVER)).toMatchObject({ kind: 'failed', status: 503, retryAfterMs: 12_000 })
  })
})
