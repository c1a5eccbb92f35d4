import { describe, expect, it } from 'vitest'
import { armFailure } from './armFailure.ts'
import { createRetryAfterLimiter, type GivenResponse, RetryAfterError } from './retryAfterLimiter.ts'

const GROUP = 'https://management.azure.com/subscriptions/s/resourceGroups/g/providers'
const vm = (name: string) => `${GROUP}/Microsoft.Compute/virtualMachines/${name}?api-version=1`

function answer(status: number, retryAfter?: string, body = ''): GivenResponse {
  const headers = new Map(retryAfter === undefined ? [] : [['retry-after', retryAfter]])
  return { status, headers, bodyAsText: body }
}

/** A client with its own clock, and the requests that it sent. */
function client() {
  const time = { now: 0 }
  const sent: string[] = []
  const send = createRetryAfterLimiter(() => time.now)
  const call = (method: string, url: string, given: GivenResponse) =>
    send({ method, url }, async () => {
      sent.push(`${method} ${url.split('/providers/')[1]?.split('?')[0]}`)
      return given
    }).catch((error: unknown) => error)
  return { time, sent, call }
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
    const { call, time, sent } = client()
    await call('PUT', vm('a'), answer(429, '60', JSON.stringify({ error: { code: 'TooManyRequests', message: 'slow down' } })))
    time.now = 20_000
    expect(armFailure(await call('PUT', vm('b'), answer(201)))).toMatchObject({
      status: 429,
      code: 'TooManyRequests',
      retryAfterMs: 40_000,
    })
    await call('GET', vm('a'), answer(200))
    await call('PUT', `${GROUP}/Microsoft.Network/networkInterfaces/a`, answer(201))
    time.now = 60_000
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
})
