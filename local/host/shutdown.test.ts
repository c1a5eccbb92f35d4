import { join } from 'node:path'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { untilFound } from '../../test/builders/eventually.ts'
import { type Storage, startStorage } from '../storage/startStorage.ts'
import { type Host, startHost } from './startHost.ts'
import { createVirtualClock, type VirtualClock } from './testing/virtualClock.ts'

const HOST_JSON = {
  version: '2.0',
  functionTimeout: '-1',
  extensions: { queues: { messageEncoding: 'none', maxPollingInterval: '00:00:00.1', visibilityTimeout: '00:00:01' } },
}

let storage: Storage
let clock: VirtualClock
let host: Host
/** Moments of virtual time at which the host had ended. */
let endedAt: number | undefined

const seen = () => Reflect.get(globalThis, 'endlessAppSeen') as string[]
const untilSeen = (name: string) =>
  untilFound(async () => {
    await clock.advance(100)
    return seen().includes(name) || undefined
  })

beforeEach(async () => {
  storage = await startStorage()
  clock = createVirtualClock()
  endedAt = undefined
  await QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('jobs').create()
  host = await startHost({
    appFile: join(import.meta.dirname, 'testing/endlessApp.cjs'),
    hostJson: HOST_JSON,
    settings: { AzureWebJobsStorage: storage.connectionString },
    messageLeaseSeconds: 600,
    clock,
  })
})
afterEach(() => storage.close())

/** Begins to end the host, and moves virtual time on until it has ended. Returns how long that took. */
async function close(): Promise<number> {
  const beganAt = clock.now()
  void host.close().then(() => {
    endedAt = clock.now()
  })
  await untilFound(async () => {
    if (endedAt === undefined) await clock.advance(1_000)
    return endedAt
  })
  return (endedAt ?? 0) - beganAt
}

async function messages(): Promise<number> {
  const queue = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('jobs')
  return (await queue.peekMessages()).peekedMessageItems.length
}

describe('the end of a host', () => {
  it('refuses connections at once, cuts HTTP invocations after 30 s, and runs the terminate hooks only then', async () => {
    const answer = fetch(`${host.url}/api/endless`).then(
      () => 'answered',
      () => 'cut',
    )
    await untilSeen('endless')
    const beganAt = clock.now()
    const closing = host.close()
    await expect(fetch(`${host.url}/admin/host/ping`)).rejects.toThrow()
    await clock.advance(29_000)
    expect(seen()).toEqual(['endless'])
    await clock.advance(1_000)
    expect(await answer).toBe('cut')
    await untilFound(async () => {
      await clock.advance(100)
      return seen().includes('appTerminate') || undefined
    })
    await closing
    expect(clock.now() - beganAt).toBeLessThan(45_000)
  })

  it('waits 10 s for a message, which stays hidden', async () => {
    await QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('jobs').sendMessage('{}')
    await untilSeen('jobs')
    const tookMs = await close()
    expect(tookMs).toBeGreaterThanOrEqual(10_000)
    expect(tookMs).toBeLessThan(13_000)
    expect(seen()).toEqual(['jobs', 'appTerminate'])
    expect(await messages()).toBe(0)
  })

  it('is quick where nothing runs', async () => {
    expect(await close()).toBeLessThan(5_000)
  })
})

describe('the death of a worker', () => {
  it('fails what runs: its message comes back after visibilityTimeout', async () => {
    const queue = QueueServiceClient.fromConnectionString(storage.connectionString).getQueueClient('jobs')
    await queue.sendMessage('{}')
    await untilSeen('jobs')
    const hidden: unknown[] = []
    const died = host.workerDied('it broke')
    void died.then(() => hidden.push('given back'))
    await untilFound(async () => {
      await clock.advance(10)
      return hidden.length > 0 || undefined
    })
    // the storage has a clock of its own, and the lease would hide the message for ten minutes
    expect(await untilFound(async () => (await messages()) || undefined)).toBe(1)
  })
})
