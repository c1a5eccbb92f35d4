import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilFound } from '../../test/builders/eventually.ts'
import { type Storage, startStorage } from '../storage/startStorage.ts'
import { type HostProcess, startHostProcess } from './testing/hostProcess.ts'

const HOST_JSON = { version: '2.0', extensions: { queues: { messageEncoding: 'none' } } }
const MOST_BYTES = 100_000

let folder: string
let storage: Storage
let host: HostProcess
let url: string
let master: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joiner-streams-'))
  await writeFile(join(folder, 'host.json'), JSON.stringify(HOST_JSON))
  storage = await startStorage()
  await start()
})
afterAll(async () => {
  host.process.kill('SIGKILL')
  await storage.close()
  await rm(folder, { recursive: true, force: true })
})
async function start(): Promise<void> {
  host = startHostProcess({
    app: 'streamApp.ts',
    args: ['--host-json', join(folder, 'host.json')],
    environment: { AzureWebJobsStorage: storage.connectionString, FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: String(MOST_BYTES) },
  })
  const ready = await host.ready
  url = ready.url
  master = ready.keys.master
}
beforeEach(() => {
  host.lines.length = 0
})

/** The number of open invocations, as the platform counts them. */
async function open(): Promise<number> {
  const answer = await fetch(`${url}/admin/host/drain/status`, { headers: { 'x-functions-key': master } })
  const status = (await answer.json()) as { outstandingInvocations: number }
  return status.outstandingInvocations
}

const said = (text: string) => host.lines.find(({ message }) => message.includes(text))
const untilSaid = (text: string) => untilFound(() => said(text))

const next = () => fetch(`${url}/api/next`)

async function begin(path: string): Promise<IncomingMessage> {
  const [answer] = (await once(request(`${url}${path}`).end(), 'response')) as [IncomingMessage]
  return answer
}

describe('a response as a stream', () => {
  it('arrives as it is written, with status and headers; the invocation is open to the last byte', async () => {
    const answer = await begin('/api/lines?count=3')
    let text = ''
    answer.on('data', (chunk) => (text += String(chunk)))
    await untilFound(() => text || undefined)
    expect(text).toBe('line 1\n')
    expect([answer.statusCode, answer.headers['x-kind'], answer.headers.connection]).toEqual([201, 'lines', 'keep-alive'])
    expect(said('all lines are written')).toBeUndefined()
    expect(await open()).toBe(1)
    await next()
    await untilFound(() => text.includes('line 2') || undefined)
    await next()
    await untilFound(() => text.includes('line 3') || undefined)
    expect(await open()).toBe(1)
    const ended = once(answer, 'end')
    await next()
    await ended
    expect(text).toBe('line 1\nline 2\nline 3\n')
    await untilSaid('executed lines: succeeded')
    expect(await open()).toBe(0)
  })

  it('whose client goes away is written to its end, is not cancelled, and counts as failed', async () => {
    const answer = await begin('/api/lines?count=3')
    await once(answer, 'data')
    answer.destroy()
    await once(answer, 'close')
    for (let line = 1; line <= 3; line++) {
      expect(await open()).toBe(1)
      await next()
    }
    await untilSaid('executed lines: failed')
    expect(said('executed lines: failed')?.message).toContain('the client went away')
    expect(said('all lines are written')).toBeDefined()
    expect(said('cancelled')).toBeUndefined()
    expect(await open()).toBe(0)
  })

  it('may set cookies, and other outputs are written', async () => {
    const answer = await fetch(`${url}/api/outputs`)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([202, 'a=b'])
    const queue = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('done')
    const message = await untilFound(async () =>
      (await queue.exists()) ? (await queue.receiveMessages()).receivedMessageItems[0] : undefined,
    )
    expect(message.messageText).toBe('sent')
  })
})

describe('a request to an app with streams', () => {
  const chunks = (bytes: number, size = 1_000) =>
    new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent < bytes; sent += size) controller.enqueue(new Uint8Array(Math.min(size, bytes - sent)))
        controller.close()
      },
    })

  it.each([
    ['plain', JSON.stringify({ a: 1 }), {}],
    ['gzip', gzipSync(JSON.stringify({ a: 1 })), { 'content-encoding': 'gzip' }],
  ])('hands a body of JSON over: %s', async (_how, body, headers) => {
    const answer = await fetch(`${url}/api/bodies/c1?q=1&code=x`, { method: 'POST', body, headers })
    expect(await answer.json()).toEqual({
      params: { cluster: 'c1', q: '1' },
      read: { ok: true, value: { a: 1 } },
      url: `${url}/api/bodies/c1?q=1&code=x`,
    })
  })

  it('puts query and texts of a JSON body among the parameters, below those of the route', async () => {
    const body = JSON.stringify({ cluster: 'of the body', q: 'of the body', other: 'of the body', number: 1 })
    const answer = await fetch(`${url}/api/bodies/c1?q=query&cluster=query`, { method: 'POST', body })
    expect(await answer.json()).toMatchObject({ params: { cluster: 'c1', q: 'query', other: 'of the body' } })
  })

  it('hands over a body without a length, too', async () => {
    const answer = await fetch(`${url}/api/length`, { method: 'POST', body: chunks(MOST_BYTES), duplex: 'half' })
    expect(await answer.text()).toBe(String(MOST_BYTES))
  })

  it('that is too large is answered 500, and 200 and empty without a length; the invocation fails', async () => {
    expect((await fetch(`${url}/api/length`, { method: 'POST', body: new Uint8Array(MOST_BYTES + 1) })).status).toBe(500)
    const answer = await fetch(`${url}/api/length`, { method: 'POST', body: chunks(MOST_BYTES + 1), duplex: 'half' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    await untilSaid('executed length: failed')
    expect(await open()).toBe(0)
  })
})

describe('a stream that the worker does not end', () => {
  beforeEach(async () => {
    host.process.kill('SIGKILL')
    await start()
  })

  it('breaks at once when the worker dies', async () => {
    const answer = await begin('/api/forgetful')
    const [first] = await once(answer, 'data')
    expect(String(first)).toBe('first\n')
    await expect(once(answer, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('of a handler that throws does not come: the library writes nothing, and the invocation stays open', async () => {
    const answer = fetch(`${url}/api/throws`).catch(() => undefined)
    expect(await Promise.race([answer, new Promise((resolve) => setTimeout(() => resolve('nothing yet'), 1_000))])).toBe('nothing yet')
    expect(await open()).toBe(1)
  })
})
