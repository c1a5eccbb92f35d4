import { describe, expect, it } from 'vitest'
import { createConcurrencyLimiter } from '../../base/concurrency.ts'
import { epochMs } from '../../model/units.ts'
import { createVirtualClock } from '../memory/virtualClock.ts'
import { armFailure } from './armFailure.ts'
import { BUSY_RESOURCE_CODES } from './busyResource.ts'
import type { GivenResponse } from './exchange.ts'
import { createRetryAfterLimiter, RetryAfterError } from './retryAfterLimiter.ts'

const GROUP = 'https://management.azure.com/subscriptions/s/resourceGroups/g/providers'
const vm = (name: string) => `${GROUP}/Microsoft.Compute/virtualMachines/${name}?api-version=1`

function answer(status: number, retryAfter?: string, body = ''): GivenResponse {
  const headers = new Map(retryAfter === undefined ? [] : [['retry-after', retryAfter]])
  return { status, headers, bodyAsText: body }
}

/** A client with its own clock, the requests that it sent, and the waits that it told others of. */
function client() {
  const clock = createVirtualClock(epochMs(0))
  const sent: string[] = []
  const told: string[] = []
  const shared = { known: async () => ({}), tell: async (key: string) => void told.push(key) }
  const send = createRetryAfterLimiter({ ...clock, shared })
  const call = (method: string, url: string, given: GivenResponse, abortSignal?: AbortSignal) =>
    send({ method, url, abortSignal }, async () => {
      sent.push(`${method} ${url.split('/providers/')[1]?.split('?')[0]}`)
      return given
    }).catch((error: unknown) => error)
  return { clock, sent, told, call, send }
}

describe('waits that Azure asks for', () => {
  it.each([
    ['a short one is left to the client', answer(429, '5'), false],
    ['a long one of a throttled call', answer(429, '6'), true],
    ['a long one of a service that is busy', answer(503, '60'), true],
    ['a long one in milliseconds', { ...answer(429), headers: new Map([['x-ms-retry-after-ms', '6000']]) }, true],
    ['one without a time is left to the client', answer(429), false],
    ['a poll is told when to come again, and waits for nobody', answer(202, '60'), false],
    ['a refusal that names a time', answer(409, '60'), false],
  ])('%s', async (_, given, isEnded) => {
    const { call } = client()
    expect((await call('PUT', vm('a'), given)) instanceof RetryAfterError).toBe(isEnded)
  })

  it('are kept for calls of the same kind, by what is left of them, and for no others', async () => {
    const { call, clock, sent } = client()
    await call('PUT', vm('a'), answer(429, '60', JSON.stringify({ error: { code: 'TooManyRequests', message: 'slow down' } })))
    await clock.advance(20_000)
    expect(armFailure(await call('PUT', vm('b'), answer(201)))).toMatchObject({
      status: 429,
      code: 'TooManyRequests',
      retryAfterMs: 40_000,
    })
    await call('GET', vm('a'), answer(200))
    await call('PUT', `${GROUP}/Microsoft.Network/networkInterfaces/a`, answer(201))
    await clock.advance(40_000)
    await call('PUT', vm('b'), answer(201))
    expect(sent).toEqual([
      'PUT Microsoft.Compute/virtualMachines/a',
      'GET Microsoft.Compute/virtualMachines/a',
      'PUT Microsoft.Network/networkInterfaces/a',
      'PUT Microsoft.Compute/virtualMachines/b',
    ])
  })

  it('are kept for one subscription, and not for another one', async () => {
    const { call, sent } = client()
    await call('PUT', vm('a'), answer(429, '60'))
    await call('PUT', vm('b').replace('/subscriptions/s/', '/subscriptions/S/'), answer(201))
    await call('PUT', vm('c').replace('/subscriptions/s/', '/subscriptions/other/'), answer(201))
    expect(sent).toEqual(['PUT Microsoft.Compute/virtualMachines/a', 'PUT Microsoft.Compute/virtualMachines/c'])
  })

  it('of some seconds hold calls of the same kind back, and no others', async () => {
    const { call, clock, sent } = client()
    await call('PUT', vm('a'), answer(429, '2'))
    const held = [call('PUT', vm('b'), answer(201)), call('PUT', vm('c'), answer(201))]
    await call('GET', vm('a'), answer(200))
    await clock.advance(1_999)
    expect(sent).toEqual(['PUT Microsoft.Compute/virtualMachines/a', 'GET Microsoft.Compute/virtualMachines/a'])
    await clock.advance(1)
    await Promise.all(held)
    expect(sent.slice(2)).toEqual(['PUT Microsoft.Compute/virtualMachines/b', 'PUT Microsoft.Compute/virtualMachines/c'])
  })

  it.each(
    BUSY_RESOURCE_CODES.flatMap((code) => [
      { error: { code, message: 'again' } },
      { error: { code: 'SomethingNew', details: [{ code: 'Other' }, { code }] } },
      { code, message: 'again' },
    ]),
  )('are of one resource alone if it is still changing: %j', async (body) => {
    for (const [seconds, isEnded] of [
      ['60', true],
      ['2', false],
    ] as const) {
      const { call, sent, told } = client()
      const first = await call('PUT', vm('a'), answer(429, seconds, JSON.stringify(body)))
      expect(first instanceof RetryAfterError).toBe(isEnded)
      expect(await call('PUT', vm('b'), answer(201))).toMatchObject({ status: 201 })
      expect([sent.length, told]).toEqual([2, []])
    }
  })

  it.each([
    ['', 1],
    ['no json', 1],
    [JSON.stringify({ error: { code: 'TooManyRequests', details: null } }), 1],
    [JSON.stringify({ error: { code: 'OperationNotAllowed', details: [{ code: 'TooManyRequests' }, null] } }), 1],
  ])('are of the kind of call with any other body: %s', async (body, want) => {
    const { call, sent, told } = client()
    await call('PUT', vm('a'), answer(429, '60', body))
    expect(await call('PUT', vm('b'), answer(201))).toBeInstanceOf(RetryAfterError)
    expect([sent.length, told.length]).toEqual([want, 1])
  })

  it("are Joiner's own if its count of a limit is used up, and say so", async () => {
    const { call, sent, told } = client()
    const none = { ...answer(201), headers: new Map([['x-ms-ratelimit-remaining-subscription-writes', '0']]) }
    await call('PUT', vm('a'), none)
    const waits: unknown[] = []
    for (let n = 0; n < 60; n++) {
      const asked = call('PUT', vm(`m${n}`), none)
      if (n >= 55) waits.push(asked)
    }
    const error: unknown = await waits.at(-1)
    expect(error).toBeInstanceOf(RetryAfterError)
    const failure = armFailure(error)
    expect(failure).toMatchObject({ status: 429, isLocal: true })
    expect(failure.message).toMatch(
      /^joiner waits \d+ s before PUT microsoft.compute\/virtualmachines, so that Azure does not throttle: its published limit is used up$/,
    )
    expect([sent.length, told]).toEqual([1, []])
    expect(armFailure(await client().call('PUT', vm('a'), answer(429, '60')))).not.toHaveProperty('isLocal')
  })

  it('end for a call whose time is over', async () => {
    const { call, sent } = client()
    await call('PUT', vm('a'), answer(429, '2'))
    const stop = new AbortController()
    const held = call('PUT', vm('b'), answer(201), stop.signal)
    stop.abort(new Error('enough'))
    expect(await held).toEqual(new Error('enough'))
    expect(sent).toHaveLength(1)
  })

  it('hold back a call that had passed before Azure asked for them, and that waits for its turn', async () => {
    const { clock, send } = client()
    const turn = createConcurrencyLimiter(1)
    const times: number[] = []
    const put = (name: string, given: GivenResponse) =>
      send(
        { method: 'PUT', url: vm(name) },
        async () => {
          times.push(clock.now())
          return given
        },
        turn,
      )
    const all = [put('a', answer(429, '3')), put('b', answer(201))]
    await clock.advance(5_000)
    await Promise.all(all)
    expect(times).toEqual([0, 3_000])
  })

  it.each([2, 5, 30])('are kept by each of many calls at once: %i s', async (seconds) => {
    const { clock, send } = client()
    const turn = createConcurrencyLimiter(4)
    const sent: number[] = []
    let refused: number | undefined
    const put = async (index: number): Promise<void> => {
      await clock.sleep(index * 40, new AbortController().signal)
      await send(
        { method: 'PUT', url: vm(`m${index}`) },
        async () => {
          sent.push(clock.now())
          await clock.sleep(100, new AbortController().signal)
          if (refused !== undefined || index !== 7) return answer(201)
          refused = clock.now()
          return answer(429, String(seconds))
        },
        turn,
      ).catch(() => undefined)
    }
    const all = Array.from({ length: 60 }, (_, index) => put(index))
    await clock.advance(60_000)
    await Promise.all(all)
    const from = refused ?? expect.fail('no call was refused')
    expect(sent.length).toBeGreaterThan(8)
    expect(sent.filter((at) => at > from && at < from + seconds * 1_000)).toEqual([])
  })
})
