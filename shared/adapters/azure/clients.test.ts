import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { createArmClients } from './clients.ts'

const CLOCK = { now: () => epochMs(0), sleep: () => Promise.reject(new Error('nothing sleeps here')) }
const CREDENTIAL = { getToken: async () => ({ token: 't', expiresOnTimestamp: 0 }) }

/** Sends calls through the pipelines of the clients, and answers them only once no more come. Returns the most that were under way at a time. */
async function mostAtOnce(calls: number): Promise<number> {
  const clients = createArmClients({ credential: CREDENTIAL, subscriptionId: 's', clock: CLOCK })
  const pipelines = [(await clients.compute()).pipeline, (await clients.network()).pipeline]
  const policies = pipelines.flatMap((pipeline) => pipeline.getOrderedPolicies().filter(({ name }) => name === 'joinerTurnstile'))
  let open = 0
  let most = 0
  const answer = async (): Promise<never> => {
    most = Math.max(most, ++open)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    open--
    return { status: 200, headers: new Map() } as never
  }
  await Promise.all(
    policies.flatMap((policy) =>
      Array.from({ length: calls / 2 }, () => policy.sendRequest({ method: 'GET', url: 'https://a.example/' } as never, answer)),
    ),
  )
  return most
}

/** What a client asks a token for before its first call. */
async function audienceAt(endpoint: string): Promise<string | readonly string[]> {
  const asked: (string | readonly string[])[] = []
  const getToken = (scopes: string | string[]): Promise<never> => {
    asked.push(scopes)
    return Promise.reject(new Error('no token'))
  }
  const client = await createArmClients({ credential: { getToken }, subscriptionId: 's', clock: CLOCK, endpoint, maxRetries: 0 }).rest()
  await expect(client.pathUnchecked('/subscriptions').get()).rejects.toThrow('no token')
  return asked[0] ?? ''
}

describe('the token for Azure', () => {
  it.each([
    ['https://management.azure.com', 'https://management.azure.com'],
    ['https://management.usgovcloudapi.net/', 'https://management.usgovcloudapi.net'],
    ['https://management.chinacloudapi.cn', 'https://management.chinacloudapi.cn'],
    ['https://127.0.0.1:1', 'https://management.azure.com'],
  ])('is for the cloud of the endpoint: %s', async (endpoint, want) => {
    expect([await audienceAt(endpoint)].flat()).toEqual([`${want}/.default`])
  })

  it('is not asked for at an endpoint that no cloud has', () => {
    const options = { credential: CREDENTIAL, subscriptionId: 's', clock: CLOCK, endpoint: 'https://management.example' }
    expect(() => createArmClients(options)).toThrow('https://management.example is not the endpoint of a cloud that Joiner knows')
  })
})

describe('calls to Azure', () => {
  it('are so many at once for a cluster, machines and network together', async () => {
    expect(await mostAtOnce(10)).toBe(10)
    expect(await mostAtOnce(200)).toBe(32)
  })

  it('take no place while they wait for their next attempt', async () => {
    const { pipeline } = await createArmClients({ credential: CREDENTIAL, subscriptionId: 's', clock: CLOCK }).compute()
    const names = pipeline.getOrderedPolicies().map(({ name }) => name)
    expect(names.indexOf('joinerTurnstile')).toBeGreaterThan(names.findIndex((name) => name.toLowerCase().includes('retry')))
  })
})
