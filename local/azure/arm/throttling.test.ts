import { describe, expect, it } from 'vitest'
import { createThrottling } from './throttling.ts'

const VMS = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines'
const NIC = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkInterfaces/a'

function arm(speed = 1) {
  let now = 0
  const ask = createThrottling(speed, () => now)
  return { ask, pass: (ms: number) => void (now += ms) }
}

describe('requests beyond a limit', () => {
  it.each<[method: string, path: string, size: number, seconds: number, code: string, left: object]>([
    ['GET', '/subscriptions/s', 250, 1, 'SubscriptionRequestsThrottled', { 'x-ms-ratelimit-remaining-subscription-reads': '0' }],
    ['PUT', `${VMS}/{n}`, 200, 1, 'SubscriptionRequestsThrottled', { 'x-ms-ratelimit-remaining-subscription-writes': '0' }],
    ['DELETE', NIC, 200, 1, 'SubscriptionRequestsThrottled', { 'x-ms-ratelimit-remaining-subscription-deletes': '0' }],
  ])('%s %s are refused after %i', (method, path, size, seconds, code, left) => {
    const { ask } = arm()
    for (let n = 0; n < size; n++) expect(ask(method, path.replace('{n}', String(n)), 'a').refusal).toBeUndefined()
    const { refusal, headers } = ask(method, path, 'a')
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': String(seconds) }, body: { error: { code } } })
    expect(headers).toMatchObject(left)
    expect(ask(method, path, 'b').refusal).toBeUndefined()
  })

  it('of a resource provider are refused, whoever asks', () => {
    const { ask } = arm()
    for (let n = 0; n < 1_000; n++) expect(ask('PUT', NIC, `p${n % 5}`).refusal).toBeUndefined()
    const { refusal, headers } = ask('PUT', NIC, 'p6')
    expect(refusal).toMatchObject({ status: 429, body: { error: { code: 'TooManyRequests' } } })
    expect(headers).toEqual({
      'x-ms-ratelimit-remaining-subscription-writes': '199',
      'x-ms-ratelimit-remaining-resource': 'Microsoft.Network/Write5Min;0',
    })
  })

  it.each([
    ['PUT', '', 12, 15, 'PutVM3MinResource'],
    ['PATCH', '', 12, 15, 'UpdateVM3MinResource'],
    ['POST', '/restart', 12, 15, 'UpdateVM3MinResource'],
    ['DELETE', '', 12, 15, 'DeleteVM3MinResource'],
    ['GET', '/instanceView', 36, 5, 'LowCostGet3MinResource'],
  ])('%s%s of one machine are refused after %i, and not of another one', (method, part, size, seconds, policy) => {
    const { ask } = arm()
    for (let n = 0; n < size; n++) expect(ask(method, `${VMS}/a${part}`, 'a').refusal).toBeUndefined()
    const message = expect.stringContaining(policy)
    const refused = { status: 429, headers: { 'retry-after': String(seconds) }, body: { error: { code: 'TooManyRequests', message } } }
    expect(ask(method, `${VMS}/A${part}`, 'b').refusal).toMatchObject(refused)
    expect(ask(method, `${VMS}/b${part}`, 'a').refusal).toBeUndefined()
  })

  it.each([1, 10])('are served again as the bucket fills, at %i times the speed', (speed) => {
    const { ask, pass } = arm(speed)
    let made = 0
    const count = (): number => {
      let served = 0
      while (ask('PUT', `${VMS}/${made++}`, 'a').refusal === undefined) served += 1
      return served
    }
    count()
    pass(2_000 / speed)
    expect(count()).toBe(20)
    pass(3_600_000)
    expect(count()).toBe(200)
  })
})
