import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, Agent as SecureAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServingCertificate } from '../../local/certificates/serving.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import type { Fault } from '../model/problem.ts'
import { type HttpRequest, open, readText, retryAfterMs, send } from './http.ts'

const NEVER = new AbortController().signal
const NOW = Date.parse('2026-11-01T10:00:00Z')

async function serverThat(answer: (response: ServerResponse) => void): Promise<URL> {
  const { port, close } = await listenOnLoopback(createServer((_, response) => answer(response)))
  onTestFinished(close)
  return new URL(`http://127.0.0.1:${port}/watch`)
}

/** Opens an answer. The silence is as short as the machine lets it be under load. */
async function opened(url: URL, silenceMs = 30): Promise<{ readonly request: HttpRequest; readonly response: IncomingMessage }> {
  const request = { method: 'GET', url, silenceMs }
  try {
    return { request, response: await open(request, NEVER) }
  } catch (error) {
    if (silenceMs > LONGEST_PATIENCE_MS) throw error
    return opened(url, silenceMs * 4)
  }
}

const LONGEST_PATIENCE_MS = 4_000

describe('retry-after', () => {
  it.each([
    ['7', 7_000],
    ['0.5', 500],
    ['Sun, 01 Nov 2026 10:01:30 GMT', 90_000],
    ['Sun, 01 Nov 2026 09:59:00 GMT', undefined],
    ['0', undefined],
    ['-3', undefined],
    ['soon', undefined],
    ['601', 600_000],
    ['99999999', 600_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 600_000],
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

  it('through a proxy that makes no tunnel is given up after its silence, and at once if the caller aborts', async () => {
    // An HTTP server that does not answer the CONNECT of the tunnel.
    const held: Duplex[] = []
    const { port, close } = await listenOnLoopback(createServer().on('connect', (_, socket) => void held.push(socket)))
    onTestFinished(() => {
      for (const socket of held) socket.destroy()
      return close()
    })
    const agent = new SecureAgent({ proxyEnv: { HTTPS_PROXY: `http://user:secret@127.0.0.1:${port}` } })
    const ask = (silenceMs: number, signal: AbortSignal) =>
      send({ method: 'GET', url: new URL('https://kube.invalid/'), options: { agent }, silenceMs }, signal)
    const failed = await ask(30, NEVER).catch((fault: Fault) => fault)
    expect(failed).toMatchObject({ problem: { code: 'NETWORK.FAILED', message: expect.stringContaining('timed out') } })
    expect(String(failed)).not.toContain('secret')
    const stopping = new AbortController()
    const asked = ask(60_000, stopping.signal)
    stopping.abort('enough')
    await expect(asked).rejects.toBe('enough')
    await expect(ask(60_000, stopping.signal)).rejects.toBe('enough')
  })

  it('that falls silent in the middle of an answer is given up as well: so a dead watch is noticed', async () => {
    const url = await serverThat((response) => void response.writeHead(200).write('half'))
    const { request, response } = await opened(url)
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
