import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOnLoopback } from '../testing/listenOnLoopback.ts'
import { readScheduledEvents } from './scheduledEvents.ts'

const SIGNAL = new AbortController().signal

async function serviceThat(status: number, body: unknown, path = '/') {
  const asked: (string | undefined)[] = []
  const server = await listenOnLoopback(
    createServer((request, response) => {
      asked.push(request.url)
      response.writeHead(status).end(JSON.stringify(body))
    }),
  )
  onTestFinished(server.close)
  return { asked, endpoint: new URL(`http://127.0.0.1:${server.port}${path}`) }
}

describe('scheduled events', () => {
  it('are read with what the service says of them; those without an id are left out', async () => {
    const { endpoint } = await serviceThat(200, {
      Events: [
        { EventId: 'e1', EventType: 'Preempt', Resources: ['vm'], EventStatus: 'Scheduled', NotBefore: 'soon' },
        { EventType: 'Preempt', Resources: ['vm'] },
        { EventId: 'e2' },
      ],
    })
    expect(await readScheduledEvents(endpoint, SIGNAL)).toEqual([
      { eventId: 'e1', eventType: 'Preempt', resources: ['vm'], status: 'Scheduled', notBefore: 'soon' },
      { eventId: 'e2', eventType: '', resources: [], status: '', notBefore: '' },
    ])
  })

  it('may be none', async () => {
    const { endpoint } = await serviceThat(200, {})
    expect(await readScheduledEvents(endpoint, SIGNAL)).toEqual([])
  })

  it.each(['/', '/machines/a', '/machines/a/'])('are asked for in their version, at an endpoint with path %s', async (path) => {
    const { endpoint, asked } = await serviceThat(200, {}, path)
    await readScheduledEvents(endpoint, SIGNAL)
    expect(asked).toEqual([`${path.replace(/\/$/, '')}/metadata/scheduledevents?api-version=2020-07-01`])
  })

  it('that the service does not tell are a fault with its answer', async () => {
    const { endpoint } = await serviceThat(410, { error: 'being moved' })
    await expect(readScheduledEvents(endpoint, SIGNAL)).rejects.toMatchObject({
      problem: { code: 'NETWORK.FAILED', message: expect.stringMatching(/410.*being moved/) },
    })
  })
})
