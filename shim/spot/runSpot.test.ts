import { createServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { parseInterruption, SCHEDULED_EVENT_TYPE } from '../../shared/wire/eventGrid.ts'
import { systemClock } from '../clock.ts'
import type { SpotConfig } from '../config.ts'
import { silentLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { Running } from '../runForwarder.ts'
import { textOf } from '../testing/fakeKube.ts'
import { listenOnLoopback } from '../testing/listenOnLoopback.ts'
import { runSpot } from './runSpot.ts'

type Sent = {
  readonly id: string
  readonly eventType: string
  readonly dataVersion: string
  readonly data: { readonly eventType: string; readonly endsNode: boolean }
}

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function scheduled(eventId: string, eventType: string, resource = 'joiner-spot-1') {
  return {
    EventId: eventId,
    EventType: eventType,
    Resources: [resource],
    EventStatus: 'Scheduled',
    NotBefore: 'Mon, 03 Aug 2026 08:18:16 GMT',
  }
}

/** Starts a metadata service, a topic, and the shim between them. */
async function setUp(events: readonly object[], topicStatus: readonly number[] = []) {
  const sent: Sent[] = []
  const keys: unknown[] = []
  const polls = { count: 0, withoutHeader: 0 }
  const statuses = [...topicStatus]
  let list = events
  const imds = await listenOnLoopback(
    createServer((request, response) => {
      polls.count++
      if (request.headers['metadata'] !== 'true') polls.withoutHeader++
      response.end(JSON.stringify({ DocumentIncarnation: 1, Events: list }))
    }),
  )
  const topic = await listenOnLoopback(
    createServer((request, response) => {
      void textOf(request).then((text) => {
        const status = statuses.shift() ?? 200
        keys.push(request.headers['aeg-sas-key'])
        if (status < 300) sent.push(...(JSON.parse(text) as Sent[]))
        response.writeHead(status).end()
      })
    }),
  )
  const config: SpotConfig = {
    mode: 'spot',
    cluster: 'demo',
    proxy: {},
    identity: undefined,
    httpPort: 0,
    node: 'joiner-spot-1',
    imdsEndpoint: new URL(`http://127.0.0.1:${imds.port}`),
    topicEndpoint: new URL(`http://127.0.0.1:${topic.port}/api/events`),
    topicKey: 'the-key',
    pollMs: 5,
  }
  const stopping = new AbortController()
  const running: Running = runSpot(config, { clock: systemClock, log: silentLog, metrics: createMetrics() }, stopping.signal)
  cleanups.push(imds.close, topic.close, async () => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await running.ended
  })
  return { sent, keys, polls, running, show: (next: readonly object[]) => void (list = next) }
}

describe('the spot mode', () => {
  it('publishes each event that concerns its machine once', async () => {
    const { sent, keys, polls } = await setUp([
      scheduled('e1', 'Preempt'),
      scheduled('e2', 'Freeze'),
      scheduled('e3', 'Preempt', 'joiner-spot-2'),
    ])
    await expect.poll(() => sent.length).toBe(2)
    const seen = polls.count
    await expect.poll(() => polls.count).toBeGreaterThan(seen + 3)
    expect(sent.map(({ data }) => [data.eventType, data.endsNode])).toEqual([
      ['Preempt', true],
      ['Freeze', false],
    ])
    expect(polls.withoutHeader).toBe(0)
    expect(sent.map(({ eventType, dataVersion }) => [eventType, dataVersion])).toContainEqual([SCHEDULED_EVENT_TYPE, '1'])
    expect(keys[0]).toBe('the-key')
  })

  it('publishes what the app reads as a scheduled event', async () => {
    const { sent } = await setUp([scheduled('e1', 'Preempt')])
    await expect.poll(() => sent.length).toBe(1)
    expect(sent[0]).toMatchObject({ id: 'demo/joiner-spot-1/e1', subject: 'clusters/demo/nodes/joiner-spot-1' })
    expect(parseInterruption(sent[0])).toMatchObject({
      ok: true,
      value: {
        kind: 'scheduled',
        cluster: 'demo',
        node: 'joiner-spot-1',
        eventId: 'e1',
        endsNode: true,
        notBefore: Date.UTC(2026, 7, 3, 8, 18, 16),
      },
    })
  })

  it('goes on until Event Grid takes it', async () => {
    const { sent, running } = await setUp([scheduled('e1', 'Preempt')], [503, 503, 500])
    expect(running.unreadyReasons()).toEqual(['the metadata service has not answered yet'])
    await expect.poll(() => running.unreadyReasons()).toEqual(['1 events wait to be taken by Event Grid'])
    await expect.poll(() => sent.length).toBe(1)
    await expect.poll(() => running.unreadyReasons()).toEqual([])
  })
})
