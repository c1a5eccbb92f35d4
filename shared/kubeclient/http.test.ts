import { Agent, createServer, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, Agent as SecureAgent } from 'node:https'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServingCertificate } from '../../local/certificates/serving.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import type { Fault } from '../model/problem.ts'
import { open, readText, retryAfterMs, send } from './http.ts'

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

describe('an answer', () => {
  it.each([
    ['as it is', {}, (text: string) => Buffer.from(text)],
    ['packed', { 'content-encoding': 'gzip' }, (text: string) => gzipSync(text)],
  ])('is read as text, %s, whatever its status', async (_, headers, body) => {
    const url = await serverThat((response) => void response.writeHead(418, { 'x-a': 'b', ...headers }).end(body('Grüße')))
    expect(await send({ method: 'GET', url }, NEVER)).toMatchObject({ status: 418, headers: { 'x-a': 'b' }, text: 'Grüße' })
  })

  it('comes over TLS from a server whose authority is trusted', async () => {
    const { authority, certificate, key } = await createServingCertificate('test')
    const server = createSecureServer({ cert: certificate, key }, (_, response) => void response.end('secret'))
    const { port, close } = await listenOnLoopback(server)
    onTestFinished(close)
    const url = new URL(`https://127.0.0.1:${port}`)
    const agent = new SecureAgent({ ca: authority })
    expect(await send({ method: 'GET', url, options: { agent } }, NEVER)).toMatchObject({ status: 200, text: 'secret' })
    await expect(send({ method: 'GET', url }, NEVER)).rejects.toMatchObject({ problem: { code: 'NETWORK.FAILED' } })
  })
})

describe('a connection', () => {
  it('that fails is told by method and address, without the query', async () => {
    const url = await serverThat((response) => void response.destroy())
    url.search = '?key=secret'
    await expect(send({ method: 'GET', url }, NEVER)).rejects.toMatchObject({ operation: `get ${url.origin}/watch` })
  })

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
    await expect(readText(response, request)).rejects.toMatchObject({
      problem: { code: 'NETWORK.FAILED', message: expect.stringContaining('no answer in time') },
    })
  })

  it('that was kept, and that the server has closed meanwhile, is called stale; a new one is not', async () => {
    let answers = 1
    const url = await serverThat((response) => void (answers-- > 0 ? response.end('kept') : response.destroy()))
    const agent = new Agent({ keepAlive: true })
    const options = { agent }
    await send({ method: 'GET', url, options }, NEVER)
    await expect.poll(() => Object.keys(agent.freeSockets), { interval: 1 }).toHaveLength(1)
    const outcomes = []
    for (let call = 0; call < 2; call++) {
      outcomes.push(await send({ method: 'GET', url, options }, NEVER).catch((fault: Fault) => fault.problem.fields?.['isStale']))
    }
    expect(outcomes).toEqual([true, undefined])
  })
})
