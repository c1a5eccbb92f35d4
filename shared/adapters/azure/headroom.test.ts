import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { createRecordedTelemetry } from '../memory/telemetry.ts'
import { createArmClients } from './clients.ts'

const CLOCK = { now: () => epochMs(0), sleep: () => Promise.reject(new Error('nothing sleeps here')) }
const CREDENTIAL = { getToken: async () => ({ token: 't', expiresOnTimestamp: 0 }) }

/** The measures of a response that comes through the pipeline of a client. */
async function measuredOf(status: number, headers: { readonly [name: string]: string }) {
  const telemetry = createRecordedTelemetry()
  const { pipeline } = await createArmClients({ credential: CREDENTIAL, subscriptionId: 's', clock: CLOCK, telemetry }).network()
  const policy = pipeline.getOrderedPolicies().find(({ name }) => name === 'joinerTurnstile')
  const answer = { status, headers: new Map(Object.entries(headers)) }
  await policy?.sendRequest({ method: 'GET', url: 'https://a.example/' } as never, async () => answer as never)
  return telemetry.measures.map(({ name, value, fields }) => [name, value, fields['part']])
}

describe('an answer of ARM', () => {
  it('tells how many calls are left', async () => {
    const left = { 'x-ms-ratelimit-remaining-subscription-reads': '11999', 'x-ms-ratelimit-remaining-subscription-writes': '0' }
    expect(await measuredOf(200, left)).toEqual([
      ['azure.remaining', 11_999, 'reads'],
      ['azure.remaining', 0, 'writes'],
    ])
    const ofResource = { 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/PutVM3Min;237,Microsoft.Compute/PutVM30Min;1197' }
    expect(await measuredOf(201, ofResource)).toEqual([
      ['azure.remaining', 237, 'Microsoft.Compute/PutVM3Min'],
      ['azure.remaining', 1_197, 'Microsoft.Compute/PutVM30Min'],
    ])
  })

  it('tells that a call was refused for there being too many', async () => {
    expect(await measuredOf(429, { 'retry-after': '1' })).toEqual([['azure.throttled', 1, undefined]])
    expect(await measuredOf(503, {})).toEqual([])
  })

  it('may say nothing, or what is no number', async () => {
    expect(
      await measuredOf(200, { 'x-ms-ratelimit-remaining-subscription-reads': 'many', 'x-ms-ratelimit-remaining-resource': 'x' }),
    ).toEqual([])
  })
})
