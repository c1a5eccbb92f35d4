import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { err } from '../../shared/base/result.ts'
import type { KubeApi } from './client/api.ts'
import { createEventRecorder, type EventSubject } from './eventRecorder.ts'
import { memoryContext } from './testing/memoryContext.ts'
import { testNode, testPod } from './testing/objects.ts'

const AT = Date.parse('2026-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: AT }))
afterEach(() => void vi.useRealTimers())

const POD: EventSubject = { apiVersion: 'v1', kind: 'Pod', metadata: testPod('web').metadata }
const NODE: EventSubject = { apiVersion: 'v1', kind: 'Node', metadata: testNode('one').metadata }
const NEWS = { type: 'Warning', reason: 'Failed', message: 'it broke' } as const
const settled = () => new Promise((resolve) => setImmediate(resolve))

function recorder() {
  const { context, writes, bodies } = memoryContext()
  return { recorder: createEventRecorder(context.api, 'scheduler', () => undefined), writes, bodies }
}

describe('an event', () => {
  it('says about what, when, how often and from whom, beside its subject', async () => {
    const { recorder: events, bodies } = recorder()
    events.record(POD, NEWS)
    await settled()
    const at = '2026-01-01T00:00:00Z'
    expect(bodies).toEqual([
      {
        metadata: { name: expect.stringMatching(/^web\./), namespace: 'default' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-web', namespace: 'default' },
        ...NEWS,
        count: 1,
        firstTimestamp: at,
        lastTimestamp: at,
        source: { component: 'scheduler' },
        reportingComponent: 'scheduler',
        reportingInstance: 'scheduler',
      },
    ])
  })

  it('about what has no namespace is in the default one, and its subject has none', async () => {
    const { recorder: events, bodies } = recorder()
    events.record(NODE, NEWS)
    await settled()
    expect(bodies).toMatchObject([{ metadata: { namespace: 'default' } }])
    expect(bodies[0]).not.toHaveProperty('involvedObject.namespace')
  })

  it('counts up while the same is said within ten minutes, and is a new one after that', async () => {
    const { recorder: events, writes, bodies } = recorder()
    for (const minute of [0, 5, 10, 11]) {
      vi.setSystemTime(AT + minute * 60_000)
      events.record(POD, NEWS)
      await settled()
    }
    expect(writes).toEqual(['POST events', expect.stringMatching(/^PATCH events\/web\./), expect.stringMatching(/^PATCH/), 'POST events'])
    expect(bodies.slice(1, 3)).toEqual([
      { count: 2, lastTimestamp: '2026-01-01T00:05:00Z' },
      { count: 3, lastTimestamp: '2026-01-01T00:10:00Z' },
    ])
  })

  it.each([
    ['of another subject', { ...POD, metadata: { ...POD.metadata, uid: 'other' } }, NEWS],
    ['of another kind', { ...POD, kind: 'Job' }, NEWS],
    ['for another reason', POD, { ...NEWS, reason: 'Other' }],
    ['in other words', POD, { ...NEWS, message: 'again' }],
  ])('is another one %s', async (_how, subject, news) => {
    const { recorder: events, writes, bodies } = recorder()
    events.record(POD, NEWS)
    events.record(subject, news)
    await settled()
    expect(writes).toEqual(['POST events', 'POST events'])
    const names = bodies.map((body) => (body as { readonly metadata: { readonly name: string } }).metadata.name)
    expect(new Set(names).size).toBe(2)
  })

  it('that is refused is told, and tried anew when it comes again', async () => {
    const refusal = { code: 403, reason: 'Forbidden', message: 'not you' }
    const tried: string[] = []
    const refuse = (verb: string) => async () => {
      tried.push(verb)
      return err(refusal)
    }
    const said: string[] = []
    const api = { create: refuse('create'), patch: refuse('patch') } as unknown as KubeApi
    const events = createEventRecorder(api, 'scheduler', (line) => void said.push(line))
    for (let time = 0; time < 2; time++) {
      events.record(POD, NEWS)
      await settled()
    }
    expect(tried).toEqual(['create', 'create'])
    expect(said).toEqual(Array.from({ length: 2 }, () => 'event Failed for pod/web: not you'))
  })
})
