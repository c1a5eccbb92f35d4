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
