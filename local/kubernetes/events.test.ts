import { describe, expect, it } from 'vitest'
import { withServer } from './testing/withServer.ts'

const EVENTS = '/api/v1/namespaces/default/events'
const TIME = '2026-01-01T00:20:00.000000Z'

/** An Event of the newer form, as the API server takes it. */
const TIMED = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'one' },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'u1' },
  type: 'Warning',
  reason: 'Failed',
  message: 'it broke',
  eventTime: TIME,
  action: 'Start',
  source: { component: 'karpenter' },
  reportingComponent: 'joiner',
  reportingInstance: 'joiner-0',
}
const { eventTime: _time, action: _action, ...OLDER } = TIMED
const inNamespace = (namespace: string) => ({ involvedObject: { ...TIMED.involvedObject, namespace } })
const ofCluster = { involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'node-1' } }

describe('an Event', () => {
  const answers: readonly (readonly [sentence: string, event: object, code: number, text?: RegExp])[] = [
    ['of the newer form is taken', TIMED, 201],
    ['of the newer form may be about an object elsewhere', { ...TIMED, ...inNamespace('shop') }, 201],
    ['of the newer form may be about an object of the cluster', { ...TIMED, ...ofCluster }, 201],
    ['without a time is taken', OLDER, 201],
    ['without a time may be about an object of the cluster', { ...OLDER, ...ofCluster }, 201],
    ['without a time and with a long text is taken', { ...OLDER, message: 'x'.repeat(1_025), reason: '' }, 201],
    ['without a time is beside its object', { ...OLDER, ...inNamespace('shop') }, 422, /involvedObject\.namespace: Invalid value: "shop"/],
    ['with a time names its reporter', { ...TIMED, reportingComponent: '' }, 422, /reportingComponent: Required value/],
    ['has a reporter with a qualified name', { ...TIMED, reportingComponent: 'a b' }, 422, /reportingComponent: Invalid value: "a b"/],
    ['with a time names its instance', { ...TIMED, reportingInstance: undefined }, 422, /reportingInstance: Required value/],
    ['with a time names its action', { ...TIMED, action: undefined }, 422, /action: Required value/],
    ['with a time names its reason', { ...TIMED, reason: undefined }, 422, /reason: Required value/],
    ['has a short instance', { ...TIMED, reportingInstance: 'x'.repeat(129) }, 422, /reportingInstance: .*at most 128 characters/],
    ['has a short action', { ...TIMED, action: 'x'.repeat(129) }, 422, /action: .*at most 128 characters/],
    ['has a short reason', { ...TIMED, reason: 'x'.repeat(129) }, 422, /reason: .*at most 128 characters/],
    ['has a message of 1,024 bytes', { ...TIMED, message: 'x'.repeat(1_024) }, 201],
    ['has a message of at most 1,024 bytes', { ...TIMED, message: 'é'.repeat(513) }, 422, /message: .*at most 1024 characters/],
    ['has a time with six digits', { ...TIMED, eventTime: '2026-01-01T00:20:00Z' }, 400, /Event\.eventTime of type v1\.MicroTime/],
  ]
  it('is taken or refused as by the API server', () =>
    withServer({}, async ({ call }) => {
      for (const [index, [sentence, event, code, text = /^/]] of answers.entries()) {
        const answer = await call('POST', EVENTS, { ...event, metadata: { name: `event-${index}` } })
        expect(answer, sentence).toMatchObject({ code })
        expect((answer.body as { message?: string }).message ?? '', sentence).toMatch(text)
      }
    }))

  it('keeps the rules when it is changed', () =>
    withServer({}, async ({ call }) => {
      await call('POST', EVENTS, TIMED)
      expect(await call('PATCH', `${EVENTS}/one`, { count: 2, message: 'again' })).toMatchObject({ code: 200 })
      expect(await call('PATCH', `${EVENTS}/one`, { action: null })).toMatchObject({ code: 422 })
    }))

  it('is selected by these fields, and by no others', () =>
    withServer({}, async ({ call }) => {
      await call('POST', EVENTS, TIMED)
      await call('POST', EVENTS, { ...TIMED, metadata: { name: 'two' }, source: undefined, reportingComponent: 'kubelet' })
      const selected = async (path: string, selector: string): Promise<unknown> => {
        const { code, body } = await call('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`)
        return code === 200 ? (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name) : code
      }
      const both = ['one', 'two']
      const fields: { readonly [selector: string]: readonly string[] } = {
        'source=karpenter': ['one'],
        'source=joiner': [],
        'source=kubelet': ['two'],
        'reportingComponent=joiner': ['one'],
        'reason=Failed': both,
        'type=Warning': both,
        'type!=Warning': [],
        'involvedObject.kind=Pod,involvedObject.name=web-1,involvedObject.namespace=default': both,
        'involvedObject.uid=u1,involvedObject.apiVersion=v1,involvedObject.resourceVersion=,involvedObject.fieldPath=': both,
        'metadata.name=one,metadata.namespace=default': ['one'],
      }
      for (const [selector, names] of Object.entries(fields)) expect(await selected(EVENTS, selector), selector).toEqual(names)
      for (const member of ['message', 'action', 'count', 'eventTime', 'source.component', 'reportingInstance', 'constructor'])
        expect(await selected(EVENTS, `${member}=x`), member).toBe(400)
      const newer = '/apis/events.k8s.io/v1/namespaces/default/events'
      const regarding = ['kind=Pod', 'name=web-1', 'namespace=default', 'uid=u1', 'apiVersion=v1', 'resourceVersion=', 'fieldPath=']
      for (const term of [...regarding.map((each) => `regarding.${each}`), 'reason=Failed', 'type=Warning'])
        expect(await selected(newer, term), term).toEqual(both)
      expect(await selected(newer, 'reportingController=joiner')).toEqual(['one'])
      expect(await selected(newer, 'source=karpenter')).toBe(400)
    }))
})
