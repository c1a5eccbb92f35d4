import { describe, expect, it } from 'vitest'
import { createTokenIssuer } from '../entra/tokens.ts'
import type { HttpRequest } from '../httpServer.ts'
import { createTimeline } from '../timeline.ts'
import { createEventGrid } from './eventGrid.ts'

const TOPIC = { id: '/subscriptions/s/topics/spot', key: 'key-1' }
const issuer = await createTokenIssuer(() => 'https://issuer', 'tenant')
const EVENT = { id: '1', subject: 's', eventType: 'joiner.ScheduledEvent', eventTime: '2026-01-31T12:00:00Z', dataVersion: '1', data: {} }

type Change = {
  readonly method?: string
  readonly path?: string
  readonly headers?: HttpRequest['headers']
  readonly body?: unknown
}

/** Posts one event as its publisher does, with the changes of a test. */
async function post({ method = 'POST', path = '/api/events?api-version=2018-01-01', headers = {}, body = [EVENT] }: Change) {
  const grid = createEventGrid({
    topicOf: () => TOPIC,
    refusalOf: () => undefined,
    madeSubscriptions: () => [],
    issuer,
    timeline: createTimeline(1),
  })
  const url = new URL(path, 'https://topic')
  const all = { 'content-type': 'application/json; charset=utf-8', 'aeg-sas-key': 'key-1', ...headers }
  const answer = await grid.respond({ method, url, headers: all, body: JSON.stringify(body) })
  return { answer, published: grid.published }
}

const token = (audience: string) => issuer.issue({ audience, oid: 'o', appid: 'a' })
const without = (member: keyof typeof EVENT): object => Object.fromEntries(Object.entries(EVENT).filter(([name]) => name !== member))

describe('a topic', () => {
  it('takes events of its form, and writes itself into each', async () => {
    const { answer, published } = await post({ body: [EVENT, { ...EVENT, id: '2', topic: TOPIC.id }] })
    expect(answer).toEqual({ status: 200 })
    expect(published).toMatchObject([
      { ...EVENT, topic: TOPIC.id },
      { ...EVENT, id: '2', topic: TOPIC.id },
    ])
  })

  it('takes a token for Event Grid in the place of its key', async () => {
    const headers = { 'aeg-sas-key': undefined, authorization: `Bearer ${await token('https://eventgrid.azure.net')}` }
    expect((await post({ headers })).published).toHaveLength(1)
  })

  const REFUSED: { readonly [what: string]: readonly [() => Promise<Change> | Change, number, RegExp] } = {
    'another path': [() => ({ path: '/api/other?api-version=2018-01-01' }), 404, /events are posted to \/api\/events/],
    'another method': [() => ({ method: 'GET' }), 404, /not GET/],
    'another version': [() => ({ path: '/api/events?api-version=2020-01-01' }), 400, /api-version must be 2018-01-01/],
    'no version': [() => ({ path: '/api/events' }), 400, /api-version must be 2018-01-01/],
    'a wrong key': [() => ({ headers: { 'aeg-sas-key': 'key-2' } }), 401, /the key in aeg-sas-key is wrong/],
    'nobody’s token': [() => ({ headers: { 'aeg-sas-key': undefined } }), 401, /Authorization header is missing/],
    'a token for something else': [
      async () => ({ headers: { 'aeg-sas-key': undefined, authorization: `Bearer ${await token('https://management.azure.com')}` } }),
      401,
      /aud/,
    ],
    'another schema': [() => ({ headers: { 'content-type': 'application/cloudevents+json' } }), 400, /as application\/json, not/],
    'one event outside a list': [() => ({ body: EVENT }), 400, /must be a list/],
    'an event of another topic': [() => ({ body: [EVENT, { ...EVENT, topic: '/other' }] }), 400, /topic is written by the service/],
    'an event without its id': [() => ({ body: [EVENT, without('id')] }), 400, /each event needs id/],
    'an event without its subject': [() => ({ body: [without('subject')] }), 400, /each event needs/],
    'an event without its type': [() => ({ body: [without('eventType')] }), 400, /each event needs/],
    'an event without its time': [() => ({ body: [without('eventTime')] }), 400, /each event needs/],
    'an event without the version of its data': [() => ({ body: [without('dataVersion')] }), 400, /each event needs/],
  }
  for (const [what, [change, status, words]] of Object.entries(REFUSED))
    it(`refuses ${what}, and publishes nothing`, async () => {
      const { answer, published } = await post(await change())
      expect(answer).toMatchObject({ status })
      expect(JSON.stringify(answer)).toMatch(words)
      expect(published).toEqual([])
    })
})
