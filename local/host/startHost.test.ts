import { join } from 'node:path'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilFound } from '../../test/builders/eventually.ts'
import { type Storage, startStorage } from '../storage/startStorage.ts'
import type { HostLogLine } from './base/hostLog.ts'
import { type Host, startHost } from './startHost.ts'

type Seen = { function: string; input: unknown; metadata?: Record<string, unknown> }

const HOST_JSON = {
  version: '2.0',
  extensions: { queues: { messageEncoding: 'none', maxPollingInterval: '00:00:00.1', visibilityTimeout: '00:00:00', maxDequeueCount: 2 } },
}
const KEYS = { master: 'the-master', host: 'the-host', system: 'the-system', functions: { ingest: 'the-function' } }

let storage: Storage
let host: Host
const lines: HostLogLine[] = []

function seen(): Seen[] {
  return Reflect.get(globalThis, 'sampleAppSeen') as Seen[]
}

type Call = { key?: string; method?: string; body?: string | ReadableStream; headers?: Record<string, string>; duplex?: 'half' }

function call(path: string, { key, ...init }: Call = {}): Promise<Response> {
  return fetch(`${host.url}${path}`, { ...init, headers: { ...init.headers, ...(key === undefined ? {} : { 'x-functions-key': key }) } })
}

beforeAll(async () => {
  storage = await startStorage()
  host = await startHost({
    appFile: join(import.meta.dirname, 'testing/sampleApp.ts'),
    hostJson: HOST_JSON,
    settings: { AzureWebJobsStorage: storage.connectionString, TICK_SCHEDULE: '0 0 4 1 1 *' },
    keys: KEYS,
    log: (line) => lines.push(line),
  })
})
afterAll(async () => {
  await host.close()
  expect(seen().at(-1)?.function).toBe('appTerminate')
  await storage.close()
})
beforeEach(() => {
  seen().length = 0
  lines.length = 0
})

describe('http functions', () => {
  it('answers, writes its outputs one message an element, and the queue function sees them', async () => {
    const answer = await call('/api/Clusters/c1/events?a=1&a=2', { method: 'POST', key: 'the-function', body: '{"n":1}' })
    expect(answer.status).toBe(202)
    expect(await answer.json()).toEqual({ accepted: 2, query: '1,2' })
    await untilFound(() => (seen().length === 2 ? true : undefined))
    expect(new Set(seen().map((entry) => entry.input))).toEqual(new Set([{ cluster: 'c1', body: { n: 1 } }, 'plain text']))
    expect(seen()[0]?.metadata).toMatchObject({ dequeueCount: 1, id: expect.any(String), popReceipt: expect.any(String) })
    expect(lines).toContainEqual(expect.objectContaining({ category: 'Function.ingest.User', message: 'took 2' }))
  })

  const keyCases: Record<string, { path: string; method?: string; key?: string; want: number }> = {
    'no key at level function': { path: '/api/clusters/c1/events', method: 'POST', want: 401 },
    'a wrong key': { path: '/api/clusters/c1/events', method: 'POST', key: 'wrong', want: 401 },
    'the system key opens no function': { path: '/api/clusters/c1/events', method: 'POST', key: 'the-system', want: 401 },
    'the host key at level function': { path: '/api/clusters/c1/events', method: 'POST', key: 'the-host', want: 202 },
    'the key in the query': { path: '/api/clusters/c1/events?code=the-host', method: 'POST', want: 202 },
    'the master key at level function': { path: '/api/clusters/c1/events', method: 'POST', key: 'the-master', want: 202 },
    'the host key at level admin': { path: '/api/admin-only', key: 'the-host', want: 401 },
    'the master key at level admin': { path: '/api/admin-only', key: 'the-master', want: 200 },
    'no key at level anonymous': { path: '/api/open', want: 200 },
    'a wrong key at level anonymous': { path: '/api/open', key: 'wrong', want: 200 },
    'a method the function does not take': { path: '/api/clusters/c1/events', method: 'DELETE', key: 'the-master', want: 404 },
    'an unknown route': { path: '/api/nothing', want: 404 },
    'a path without the prefix': { path: '/open', want: 404 },
    'a parameter that breaks its constraint': { path: '/api/open/abc', want: 404 },
    'no response at all': { path: '/api/silent', want: 204 },
    'a response that is a text': { path: '/api/text-result', want: 500 },
    'a handler that throws': { path: '/api/fails', want: 500 },
    'a registration after the start': { path: '/api/late', want: 500 },
    'the admin API without a key': { path: '/admin/functions', want: 401 },
    'the admin API with the host key': { path: '/admin/functions', key: 'the-host', want: 401 },
    'the ping': { path: '/admin/host/ping', want: 200 },
  }
  for (const [name, { path, method = 'GET', key, want }] of Object.entries(keyCases)) {
    it(`answers ${want}: ${name}`, async () => {
      const body = method === 'POST' ? '{}' : undefined
      const answer = await call(path, { method, ...(key === undefined ? {} : { key }), ...(body === undefined ? {} : { body }) })
      expect(answer.status).toBe(want)
    })
  }

  it('decodes a parameter, but no slash in it', async () => {
    expect(await (await call('/api/any/a%20b%2Fc%2fd%25')).json()).toEqual({ text: 'a b%2Fc%2fd%' })
  })

  it('hands over an optional parameter', async () => {
    expect(await (await call('/api/open/12')).json()).toEqual({ id: '12' })
    expect(await (await call('/api/open')).json()).toEqual({ id: null })
  })

  it('hands over no body that came without a length, as the platform', async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    })
    const answer = await call('/api/clusters/c1/events', { method: 'POST', key: 'the-host', body, duplex: 'half' })
    expect(answer.status).toBe(500)
    expect(lines.map((line) => line.message).join()).toContain('the body came without content-length; the platform hands it to no function')
  })

  it('lets hooks swap inputs and handler, and turn an error into a result', async () => {
    const answer = await call('/api/hooked')
    expect(answer.status).toBe(418)
    expect(await answer.json()).toEqual({ error: 'from the swapped handler', inputs: ['swapped'] })
  })

  it('says why a late registration fails', async () => {
    await call('/api/late')
    expect(lines.map((line) => line.message).join()).toContain('A function can only be registered during app startup.')
  })
})

describe('queue functions', () => {
  it('moves a message to the poison queue after the last try', async () => {
    const queues = QueueServiceClient.fromConnectionString(storage.connectionString)
    await queues.getQueueClient('work').sendMessage('{"fail":true}')
    const poison = queues.getQueueClient('work-poison')
    const message = await untilFound(async () =>
      (await poison.exists()) ? (await poison.receiveMessages()).receivedMessageItems[0] : undefined,
    )
    expect(message.messageText).toBe('{"fail":true}')
    expect(seen().map((entry) => entry.metadata?.['dequeueCount'])).toEqual([1, 2])
  })

  it('hands over what the library makes of the text', async () => {
    const queue = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('work')
    const texts = ['123', 'null', '0123', '12345678901234567890', '<&>']
    for (const text of texts) await queue.sendMessage(text)
    await untilFound(() => (seen().length === texts.length ? true : undefined))
    expect(new Set(seen().map((entry) => entry.input))).toEqual(new Set([123, null, '0123', 12345678901234567000, '<&>']))
  })
})

describe('timers', () => {
  it('runs by the admin API, and its return value goes to its queue', async () => {
    const answer = await call('/admin/functions/tick', { method: 'POST', key: 'the-master', body: '{"input":""}' })
    expect(answer.status).toBe(202)
    await untilFound(() => seen().find((entry) => entry.function === 'work'))
    expect(seen()).toMatchObject([
      { function: 'tick', input: { isPastDue: false } },
      { function: 'work', input: { from: 'tick' } },
    ])
  })

  it('runs when asked by the host', async () => {
    await host.invokeTimer('tick')
    expect(seen()[0]).toMatchObject({ function: 'tick' })
  })

  it('is refused by a name that no timer has, with the names of the timers', async () => {
    await expect(host.invokeTimer('work')).rejects.toThrow('there is no timer work; timers are tick')
  })
})

describe('the Event Grid endpoint', () => {
  const path = '/runtime/webhooks/eventgrid?functionName=Spot&code=the-system'
  const post = (type: string, body: unknown, at = path) =>
    call(at, { method: 'POST', headers: { 'aeg-event-type': type }, body: JSON.stringify(body) })

  it('answers the handshake of both schemas', async () => {
    const array = await post('SubscriptionValidation', [{ id: '1', data: { validationCode: 'abc' } }])
    expect([array.status, await array.json()]).toEqual([200, { validationResponse: 'abc' }])
    const single = await post('SubscriptionValidation', { id: '1', data: '{"validationCode":"def"}' })
    expect([single.status, await single.json()]).toEqual([200, { validationResponse: 'def' }])
  })

  it('runs each event, and fails the delivery when one fails', async () => {
    expect(
      (
        await post('Notification', [
          { id: '1', data: { a: 1 } },
          { id: '2', data: {} },
        ])
      ).status,
    ).toBe(202)
    expect(seen().map((entry) => entry.input)).toEqual([
      { id: '1', data: { a: 1 } },
      { id: '2', data: {} },
    ])
    const failed = await post('Notification', [{ id: '3', data: { fail: true } }, { id: '4' }])
    expect([failed.status, await failed.text()]).toEqual([500, 'cannot'])
    expect((await post('Notification', { id: '5', specversion: '1.0' })).status).toBe(202)
  })

  const cases: Record<string, { path?: string; type?: string; body?: string; want: number }> = {
    'a wrong key': { path: '/runtime/webhooks/eventgrid?functionName=spot&code=wrong', want: 401 },
    'an unknown function': { path: '/runtime/webhooks/eventgrid?functionName=nobody&code=the-system', want: 404 },
    'a function of another trigger': { path: '/runtime/webhooks/eventgrid?functionName=work&code=the-system', want: 404 },
    'an unknown event type': { type: 'Other', want: 400 },
    'the end of a subscription': { type: 'Unsubscribe', want: 202 },
    'a body that is no event': { body: '"text"', want: 500 },
    'a body that is no JSON': { body: '{', want: 500 },
  }
  for (const [name, { path: at = path, type = 'Notification', body = '{}', want }] of Object.entries(cases)) {
    it(`answers ${want}: ${name}`, async () => {
      expect((await call(at, { method: 'POST', headers: { 'aeg-event-type': type }, body })).status).toBe(want)
    })
  }
})

describe('the admin API', () => {
  it('lists functions and says that the host runs', async () => {
    const list: unknown = await (await call('/admin/functions', { key: 'the-master' })).json()
    expect(list).toContainEqual(expect.objectContaining({ name: 'tick', isDisabled: false }))
    const status: unknown = await (await call('/admin/host/status', { key: 'the-master' })).json()
    expect(status).toMatchObject({ state: 'Running' })
    expect((await call('/admin/functions/ingest', { method: 'POST', key: 'the-master', body: '{}' })).status).toBe(400)
    expect((await call('/admin/functions/tick', { method: 'POST', key: 'the-master', body: '[' })).status).toBe(400)
    expect((await call('/admin/functions/nobody', { method: 'POST', key: 'the-master', body: '{}' })).status).toBe(404)
  })
})
