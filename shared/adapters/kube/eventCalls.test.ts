import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kubeHarness, silentTelemetry } from '../../../test/kube/kubeHarness.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { uid } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import { createEventCalls } from './eventCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'

const SIGNAL = new AbortController().signal
const MINUTE = 60_000
const REFUSED: ClusterEvent = {
  subject: { kind: 'pod', name: 'web/app' },
  uid: uid('u1'),
  type: 'Warning',
  reason: 'FailedScheduling',
  message: 'limit of cpu: 3 left',
  key: 'POOL.LIMIT',
}

type Stored = { readonly involvedObject: object; readonly message: string; readonly count: number; readonly lastTimestamp: string }

/** The Events of an API server, and processes that publish to it one after another. */
function eventServer(refuses?: { readonly status: number } | 'hangs') {
  const stored = new Map<string, Stored>()
  const asked: string[] = []
  let now = 0
  const call: KubeObjects['call'] = async ({ method, path, body }) => {
    asked.push(method)
    if (refuses === 'hangs') throw new DOMException('out of time', 'TimeoutError')
    if (refuses) return { status: refuses.status, json: { message: 'no' } }
    const own = body as { metadata?: { name: string } } & Stored
    const key = method === 'POST' ? `${path}/${own.metadata?.name}` : path
    const present = stored.get(key)
    if (method === 'POST' && present) return { status: 409, json: {} }
    if (method !== 'POST' && !present) return { status: 404, json: {} }
    if (method !== 'GET') stored.set(key, { ...present, ...own })
    return { status: 200, json: stored.get(key) }
  }
  const warnings: string[] = []
  const telemetry = { ...silentTelemetry, warn: (message: string) => void warnings.push(message) }
  const clock = { now: () => epochMs(now), sleep: async () => {} }
  return {
    asked,
    warnings,
    events: () => [...stored.values()].map(({ message, count }) => `${message} x${count}`),
    names: () => [...stored.keys()],
    startProcess: () => createEventCalls({ call } as KubeObjects, clock, telemetry),
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('an event', () => {
  it('EVT-02 said on each pass is written once, and costs nothing until it has been quiet for a while', async () => {
    const server = eventServer()
    const { publish } = server.startProcess()
    for (let second = 0; second < 200; second++) {
      await publish(REFUSED, SIGNAL)
      server.pass(1_000)
    }
    expect(server.asked).toEqual(['POST'])
    server.pass(5 * MINUTE)
    await publish({ ...REFUSED, message: 'limit of cpu: 2 left' }, SIGNAL)
    expect(server.events()).toEqual(['limit of cpu: 2 left x2'])
  })

  it('is counted by the first process that says it, and by each where nobody can know', async () => {
    const count = async (server: ReturnType<typeof eventServer>): Promise<number> => {
      let said = 0
      const processes = [server.startProcess(), server.startProcess()]
      for (const { publish } of [...processes, ...processes]) await publish(REFUSED, SIGNAL, () => void said++).catch(() => undefined)
      return said
    }
    expect(await count(eventServer())).toBe(1)
    expect(await count(eventServer({ status: 503 }))).toBe(2)
    expect(await count(eventServer('hangs'))).toBe(2)
  })

  it('SV-18: is the same one for the next process', async () => {
    const server = eventServer()
    await server.startProcess().publish(REFUSED, SIGNAL)
    await server.startProcess().publish(REFUSED, SIGNAL)
    expect(server.events()).toEqual(['limit of cpu: 3 left x1'])
    server.pass(6 * MINUTE)
    await server.startProcess().publish(REFUSED, SIGNAL)
    expect(server.events()).toEqual(['limit of cpu: 3 left x2'])
  })

  const others: { readonly [sentence: string]: Partial<ClusterEvent> } = {
    'another key': { key: 'SCHEDULING.TAINT' },
    'another message and no key': { key: '', message: 'other' },
    'another pod of that name': { uid: uid('u2') },
    'another reason': { reason: 'Nominated' },
  }
  for (const [sentence, change] of Object.entries(others)) {
    it(`EVT-04 is another one for ${sentence}`, async () => {
      const server = eventServer()
      const { publish } = server.startProcess()
      await publish(REFUSED, SIGNAL)
      await publish({ ...REFUSED, ...change }, SIGNAL)
      expect(server.events()).toHaveLength(2)
    })
  }

  it('lives beside its pod, or in the default namespace for objects without one', async () => {
    const server = eventServer()
    const { publish } = server.startProcess()
    await publish(REFUSED, SIGNAL)
    await publish({ ...REFUSED, subject: { kind: 'nodePool', name: 'blue' } }, SIGNAL)
    expect(server.names()).toEqual([
      expect.stringMatching(/^\/api\/v1\/namespaces\/web\/events\/app\.[a-z0-9]{12}$/),
      expect.stringMatching(/^\/api\/v1\/namespaces\/default\/events\/blue\.[a-z0-9]{12}$/),
    ])
  })

  it('that the server will not have, as in a namespace that is being deleted, stops nobody', async () => {
    const server = eventServer({ status: 403 })
    const { publish } = server.startProcess()
    await publish(REFUSED, SIGNAL)
    await publish(REFUSED, SIGNAL)
    expect(server.asked).toEqual(['POST'])
    expect(server.warnings).toEqual(['an event was not taken'])
  })

  it('too long for the server is cut, and shows that it is', async () => {
    const server = eventServer()
    await server.startProcess().publish({ ...REFUSED, message: 'x'.repeat(2_000) }, SIGNAL)
    expect(server.events()).toEqual([`${'x'.repeat(1_021)}... x1`])
  })
})

/** Everything that Joiner may say in an Event, with texts of any characters. */
const anyEvent: fc.Arbitrary<ClusterEvent> = fc.record({
  subject: fc.constantFrom<ClusterEvent['subject']>(
    { kind: 'pod', name: 'default/app' },
    { kind: 'node', name: 'node-1' },
    { kind: 'nodeClaim', name: 'blue-x' },
    { kind: 'nodePool', name: 'blue' },
    { kind: 'nodeClass', name: 'blue' },
  ),
  type: fc.constantFrom('Normal', 'Warning'),
  reason: fc.constantFrom('FailedScheduling', 'Launched', 'SpotInterrupted'),
  message: fc.oneof(fc.string({ unit: 'binary', maxLength: 50 }), fc.string({ unit: 'grapheme', minLength: 400, maxLength: 1_500 })),
})

describe('an event on a real API server', () => {
  it('is taken whatever it says, and is found as one of Karpenter', async () => {
    const { api, call, close } = await kubeHarness()
    try {
      await fc.assert(
        fc.asyncProperty(anyEvent, async (event) => {
          await api.publish({ ...event, uid: uid(randomUUID()) }, SIGNAL)
          const { body } = await call('GET', '/api/v1/events?fieldSelector=source%3Dkarpenter%2CreportingComponent%3Djoiner')
          expect(body.items).toHaveLength(1)
          const [written] = body.items ?? []
          expect(written).toMatchObject({
            reason: event.reason,
            action: event.reason,
            type: event.type,
            source: { component: 'karpenter' },
          })
          expect(Date.now() - Date.parse(written?.eventTime ?? '')).toBeLessThan(60_000)
          await call('DELETE', `/api/v1/namespaces/default/events/${written?.metadata.name}`)
        }),
        { numRuns: 40 },
      )
    } finally {
      await close?.()
    }
  })
})
