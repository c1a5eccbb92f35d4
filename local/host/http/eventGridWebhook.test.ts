import { describe, expect, it } from 'vitest'
import type { HostFunction } from '../app/hostFunction.ts'
import { answerEventGrid, type EventGridWebhookOptions } from './eventGridWebhook.ts'
import type { HttpRequest } from './httpFront.ts'

const KEYS = { master: 'the-master', host: 'the-host', system: 'the-system', functions: {} }
const target = (name: string, over: object = {}) => ({ name, disabled: false, trigger: { kind: 'eventGrid' }, ...over }) as HostFunction

type Asked = { readonly type?: string | string[]; readonly query?: string; readonly body?: unknown; readonly key?: string }

function request({ type, query = 'functionName=Interruption&code=the-system', body, key }: Asked): HttpRequest {
  const headers = { ...(type === undefined ? {} : { 'aeg-event-type': type }), ...(key === undefined ? {} : { 'x-functions-key': key }) }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    method: 'POST',
    url: new URL(`http://localhost/runtime/webhooks/eventgrid?${query}`),
    headers,
    readBody: async () => Buffer.from(text ?? ''),
  } as unknown as HttpRequest
}

function webhook(run: EventGridWebhookOptions['run'] = async () => undefined) {
  const functions = [
    target('interruption'),
    target('off', { disabled: true }),
    target('ingest', { trigger: { kind: 'http' } }),
    target('other'),
  ]
  return (asked: Asked) => answerEventGrid(request(asked), { functions, keys: KEYS, run })
}

describe('the endpoint of Event Grid', () => {
  it.each([
    ['no key', { query: 'functionName=interruption' }, 401],
    ['a wrong key', { query: 'functionName=interruption&code=x' }, 401],
    ['the key of the functions', { query: 'functionName=interruption&code=the-host' }, 403],
    ['the master key', { query: 'functionName=interruption&code=the-master' }, 202],
    ['the key in a header', { query: 'functionName=interruption', key: 'the-system' }, 202],
  ])('with %s', async (_what, asked, status) => {
    expect((await webhook()({ type: 'Notification', body: {}, ...asked })).status).toBe(status)
  })

  it.each([
    'functionName=none&code=the-system',
    'functionName=off&code=the-system',
    'functionName=ingest&code=the-system',
    'code=the-system',
  ])('finds no function by %s', async (query) => {
    expect(await webhook()({ type: 'Notification', body: {}, query })).toMatchObject({
      status: 404,
      body: expect.stringMatching(/^cannot find/),
    })
  })

  it.each([
    [undefined, "aeg-event-type '' is not known"],
    [['a', 'b'], "aeg-event-type '' is not known"],
    ['Surprise', "aeg-event-type 'surprise' is not known"],
  ])('refuses a delivery of type %s', async (type, body) => {
    expect(await webhook()({ ...(type === undefined ? {} : { type }), body: {} })).toEqual({ status: 400, body })
  })

  it('says farewell to a subscription that goes, whatever its body', async () => {
    expect(await webhook()({ type: 'Unsubscribe' })).toEqual({ status: 202 })
  })

  it.each([undefined, '', '{', '[]', '[1]', '"text"', 'null', '[{}, null]'])('refuses the body %s', async (body) => {
    const refused = { status: 500, body: 'the body is not an event, nor an array of events' }
    expect(await webhook()({ type: 'Notification', body })).toEqual(refused)
  })
})

describe('the handshake', () => {
  it('of CloudEvents is answered for the origin that asks', async () => {
    const asked = { ...request({}), method: 'OPTIONS', headers: { 'webhook-request-origin': 'eventgrid.azure.net' } }
    const functions = [target('interruption')]
    expect(await answerEventGrid(asked, { functions, keys: KEYS, run: async () => undefined })).toEqual({
      status: 200,
      headers: { 'webhook-allowed-origin': 'eventgrid.azure.net' },
    })
  })

  it.each([
    ['in an array', [{ data: { validationCode: 'abc' } }]],
    ['alone', { data: { validationCode: 'abc' } }],
    ['with its data as a text', { data: '{"validationCode":"abc"}' }],
  ])('answers the code of an event %s', async (_how, body) => {
    const answer = await webhook()({ type: 'SubscriptionValidation', body })
    expect(answer.status).toBe(200)
    expect(JSON.parse(String(answer.body))).toEqual({ validationResponse: 'abc' })
  })

  it.each([{}, { data: null }, { data: 'x' }, { data: { validationCode: 7 } }])('fails without a code: %j', async (event) => {
    expect(await webhook()({ type: 'SubscriptionValidation', body: [event] })).toEqual({
      status: 400,
      body: 'data.validationCode is missing',
    })
  })
})

describe('a delivery', () => {
  it('is one run an event of the function that it names, with the event and its data', async () => {
    const ran: unknown[] = []
    const answer = await webhook(async ({ name }, data, metadata) => void ran.push([name, data, metadata]))({
      type: 'notification',
      body: [{ id: '1', data: { a: 1 } }, { id: '2' }],
    })
    expect(answer).toEqual({ status: 202 })
    expect(ran).toEqual([
      ['interruption', { json: '{"id":"1","data":{"a":1}}' }, { data: { json: '{"a":1}' } }],
      ['interruption', { json: '{"id":"2"}' }, { data: { json: 'null' } }],
    ])
  })

  it('fails as a whole when one run fails, after all have run', async () => {
    let ran = 0
    const answer = await webhook(async () => {
      ran += 1
      if (ran === 1) throw new Error('it broke')
    })({ type: 'Notification', body: [{}, {}, {}] })
    expect({ ...answer, ran }).toEqual({ status: 500, body: 'it broke', ran: 3 })
  })
})
