import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createVirtualClock, type VirtualClock } from '../testing/virtualClock.ts'
import { forward, SILENCE_MS } from './httpForward.ts'

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }

let worker: Server
let host: Server
let clock: VirtualClock
let death: AbortController
/** What the worker got, and what became of the forwarding. */
let asked: Promise<Exchange>
let outcome: Promise<unknown>

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

beforeEach(async () => {
  clock = createVirtualClock()
  death = new AbortController()
  const got = Promise.withResolvers<Exchange>()
  const ended = Promise.withResolvers<unknown>()
  asked = got.promise
  outcome = ended.promise
  worker = createServer((incoming, outgoing) => got.resolve({ incoming, outgoing }))
  const httpUri = await listen(worker)
  host = createServer((incoming, outgoing) => {
    forward({
      client: { incoming, outgoing },
      httpUri,
      invocationId: 'i1',
      body: undefined,
      maxBodyBytes: 10,
      clock,
      worker: death.signal,
    }).then(
      () => ended.resolve('forwarded'),
      (error: unknown) => {
        ended.resolve(error instanceof Error ? error.message : error)
        if (!outgoing.headersSent) outgoing.writeHead(500).end()
      },
    )
  })
})
afterEach(() => {
  for (const server of [worker, host]) server.closeAllConnections()
  worker.close()
  host.close()
})

async function call(headers: { readonly [name: string]: string } = {}): Promise<Promise<IncomingMessage>> {
  const sent = request(await listen(host), { headers }).end()
  return once(sent, 'response').then(([answer]) => answer as IncomingMessage)
}

describe('forwarding a request to the worker', () => {
  it('names invocation and client, and leaves out what belongs to one connection', async () => {
    const answer = call({ 'x-mine': 'yes', te: 'trailers' })
    const { incoming, outgoing } = await asked
    expect(incoming.headers).toMatchObject({ 'x-ms-invocation-id': 'i1', 'x-forwarded-proto': 'http', 'x-mine': 'yes' })
    expect(incoming.headers['x-forwarded-host']).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(incoming.headers).not.toHaveProperty('te')
    outgoing.end('hi')
    expect((await answer).headers['transfer-encoding'] ?? (await answer).headers['content-length']).toBe('2')
    expect(await outcome).toBe('forwarded')
  })

  it('leaves an invocation id of the client in place, as the platform does', async () => {
    void call({ 'x-ms-invocation-id': 'mine' }).catch(() => undefined)
    expect((await asked).incoming.headers['x-ms-invocation-id']).toBe('mine')
  })

  it(`cuts a stream that is silent for ${SILENCE_MS} ms, not one with a byte now and then`, async () => {
    const answer = call()
    const { outgoing } = await asked
    for (let line = 0; line < 5; line++) {
      outgoing.write('a')
      await once(await answer, 'data')
      await clock.advance(SILENCE_MS - 1)
    }
    const end = once(await answer, 'end')
    await clock.advance(1)
    await expect(end).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await outcome).toBe(`no byte for ${SILENCE_MS} ms`)
  })

  it('answers 500 where the worker has not begun its answer by then', async () => {
    const answer = call()
    await asked
    await clock.advance(SILENCE_MS)
    expect((await answer).statusCode).toBe(500)
  })

  it('resets the stream when the worker dies', async () => {
    const answer = call()
    ;(await asked).outgoing.write('a')
    await once(await answer, 'data')
    const end = once(await answer, 'end')
    death.abort()
    await expect(end).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await outcome).toBe('the worker ended')
  })
})
