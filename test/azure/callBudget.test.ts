import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { createArmClients } from '../../shared/adapters/azure/clients.ts'
import { createRetryAfterLimiter } from '../../shared/adapters/azure/retryAfterLimiter.ts'
import { createSharedWaits } from '../../shared/adapters/azure/sharedWaits.ts'
import { settle } from '../../shared/base/concurrency.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { credentialFor, memoryBlobs, SILENT } from './harness.ts'

/** Reads gain 100 tokens in a second. */
const SPEED = 4
/** What a full bucket of reads has. */
const READS = 250
/** The requests for one machine that a full bucket allows. */
const MACHINE_PUTS = 12
const CONNECTIONS = 32

let azure: LocalAzure
beforeEach(async () => {
  azure = await startAzure({ speed: SPEED })
})
afterEach(() => azure.close())

/** Processes of one app. They share a store and the identity, and nothing else. `skip` moves their clock. */
function app() {
  const blobs = memoryBlobs()
  let skipped = 0
  const clock: Clock = {
    now: () => epochMs(Date.now() + skipped),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  const startClients = () => {
    const shared = createSharedWaits({ blobs, region: 'regions/s/eastus', clock, telemetry: SILENT })
    return createArmClients({
      credential: credentialFor(azure),
      subscriptionId: azure.subscriptionId,
      endpoint: azure.armUrl,
      ca: azure.caCertificate,
      maxRetries: 0,
      clock,
      retryAfterLimiter: createRetryAfterLimiter({ ...clock, shared }),
    })
  }
  const start = () => {
    const clients = startClients()
    return async (): Promise<number> => {
      const { networkInterfaces } = await clients.network()
      const found = await settle(() => networkInterfaces.get(azure.resourceGroups[0] ?? '', 'none'))
      return found.ok ? 200 : Number(Reflect.get(found.error as object, 'statusCode'))
    }
  }
  return { start, startClients, skip: (ms: number) => void (skipped += ms) }
}

function refused(): number {
  return azure.requests.all().filter(({ status }) => status === 429).length
}

describe('calls beyond the limits of Azure', () => {
  it('of one process wait for their tokens, and Azure refuses none', async () => {
    const get = app().start()
    const statuses = await Promise.all(Array.from({ length: READS + 50 }, get))
    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(refused()).toBe(0)
  })

  it('of three processes are refused no more often than calls were under way when the bucket was empty', async () => {
    const { start } = app()
    const processes = [start(), start(), start()]
    const statuses = await Promise.all(processes.flatMap((get) => Array.from({ length: READS / 2 }, get)))
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(READS)
    expect(refused()).toBeLessThanOrEqual(2 * CONNECTIONS)
  })

  it('are not made by any process while Azure asks one to wait', async () => {
    const { start, skip } = app()
    const [first, second, third] = [start(), start(), start()]
    expect([await second(), await third()]).toEqual([404, 404])
    azure.script.http({ method: 'GET', path: 'networkInterfaces', status: 429, code: 'TooManyRequests', retryAfterSeconds: 600, times: 1 })
    expect(await first()).toBe(429)
    const before = azure.requests.count()
    skip(3_000)
    const statuses = await Promise.all([first, second, third, start()].flatMap((get) => Array.from({ length: 10 }, get)))
    expect(new Set(statuses)).toEqual(new Set([429]))
    expect(azure.requests.count()).toBe(before)
    skip(600_000)
    expect(await Promise.all([first(), second(), third()])).toEqual([404, 404, 404])
  })

  it('of one machine are held back before Azure refuses one, and the other machines go on', async () => {
    const { startClients, skip } = app()
    const { virtualMachines } = await startClients().compute()
    const put = async (name: string): Promise<unknown> => {
      const made = await settle(() => virtualMachines.createOrUpdate(azure.resourceGroups[0] ?? '', name, { location: 'eastus' }))
      return made.ok ? 'made' : Reflect.get(made.error as object, 'isLocal') === true
    }
    for (let n = 0; n < MACHINE_PUTS; n++) expect(await put('a')).toBe(false)
    const before = azure.requests.count()
    expect(await put('a')).toBe(true)
    expect(azure.requests.count()).toBe(before)
    expect(await put('b')).toBe(false)
    skip(15_000)
    expect(await put('a')).toBe(false)
    expect(azure.requests.count()).toBe(before + 2)
  })
})
