import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storage, startStorage } from '../../../local/storage/startStorage.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import { clusterId, vmSizeName } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { createSystemClock } from '../system/systemClock.ts'
import { createBlobStore } from './blobStore.ts'
import { createDecisionStore } from './decisionStore.ts'
import { createLease } from './lease.ts'
import { createOfferingStore } from './offeringStore.ts'
import { removeRetired } from './retired.ts'
import { createStorageClients, prepareStorage, type StorageClients } from './storageClients.ts'

const cluster = clusterId('c1')
const signal = new AbortController().signal
const clock = createSystemClock()

let storage: Storage
let clients: StorageClients
beforeAll(async () => {
  storage = await startStorage()
  clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
  await prepareStorage(clients, signal, [])
})
afterAll(() => storage.close())

describe('prepareStorage', () => {
  it('may run again', async () => {
    await prepareStorage(clients, signal, [])
  })

  it('makes the queues that functions listen to, once', async () => {
    for (const _ of [1, 2]) await prepareStorage(clients, signal, ['work', 'work-poison'])
    expect(await Promise.all(['work', 'work-poison', 'other'].map((name) => clients.queue(name).exists()))).toEqual([true, true, false])
  })
})

describe('what an earlier version made and nobody uses', () => {
  const RETIRED = { queues: ['old', 'old-poison'], blobs: ['answers/'] }
  const documents = () => createBlobStore(clients.container)
  const remove = () => removeRetired({ queue: clients.queue, documents: documents() }, RETIRED, signal)
  const names = () => documents().list('answers', signal)
  const areThere = () => Promise.all(['old', 'old-poison', 'newer'].map((name) => clients.queue(name).exists()))
  const keep = (name: string) => clients.container.getBlockBlobClient(name).upload('x', 1)

  it('is deleted at the next start, with its messages, and nothing else is', async () => {
    await prepareStorage(clients, signal, ['old', 'newer'])
    await clients.queue('old').sendMessage('a question of the old app')
    for (const name of ['answers/a/1', 'answers/b', 'answers-of-others']) await keep(name)
    for (const _ of [1, 2]) await remove()
    expect([await areThere(), await names()]).toEqual([[false, false, true], ['answers-of-others']])
  })

  it('is deleted again if an old process that still runs made it again', async () => {
    await prepareStorage(clients, signal, ['old'])
    await remove()
    expect(await areThere()).toEqual([false, false, true])
  })

  it('keeps its queue where its blobs cannot be deleted, so that the next start tries again', async () => {
    await prepareStorage(clients, signal, ['old'])
    await keep('answers/c')
    const lease = clients.container.getBlobClient('answers/c').getBlobLeaseClient()
    await lease.acquireLease(15)
    await expect(remove()).rejects.toMatchObject({ problem: { code: 'STORE.UNAVAILABLE' } })
    expect(await areThere()).toEqual([true, false, true])
    await lease.releaseLease()
    await remove()
    expect([await areThere(), await names()]).toEqual([[false, false, true], ['answers-of-others']])
  })
})

describe('createLease', () => {
  it('says so when somebody breaks it', async () => {
    const lease = createLease(clients.container, clusterId('broken'), { clock, durationSeconds: 15, renewEveryMs: 20 })
    const held = await lease.acquire(signal)
    if (!held.ok) throw new Error('not acquired')
    const lost = new Promise<void>((resolve) => held.value.lost.addEventListener('abort', () => resolve()))
    await clients.container.getBlobClient('clusters/broken/lease').getBlobLeaseClient().breakLease(0)
    await lost
    expect(held.value.lost.reason).toMatchObject({ code: 'STORE.LEASE_LOST' })
    await held.value.release()
  })
})

describe('a lease that is not renewed', () => {
  it('is lost when the process was stopped for too long', async () => {
    let now = 0
    const stopped = {
      now: () => epochMs(now),
      sleep: async (ms: number) => {
        now += ms + 60_000
      },
    }
    const held = await createLease(clients.container, clusterId('stopped'), { clock: stopped, durationSeconds: 15 }).acquire(signal)
    if (!held.ok) throw new Error('not acquired')
    await new Promise<void>((resolve) => held.value.lost.addEventListener('abort', () => resolve()))
    expect(held.value.lost.reason).toMatchObject({ code: 'STORE.LEASE_LOST', message: 'the lease is lost: it was not renewed in time' })
    await held.value.release()
  })

  it('is lost when its process may not renew it', async () => {
    let now = 0
    const passing = {
      now: () => epochMs(now),
      sleep: async (ms: number) => void (now += ms),
    }
    const acquire = (mayRenew: () => boolean) =>
      createLease(clients.container, clusterId('uncovered'), { clock: passing, durationSeconds: 15, mayRenew }).acquire(signal)
    const held = await acquire(() => false)
    if (!held.ok) throw new Error('not acquired')
    await new Promise<void>((resolve) => held.value.lost.addEventListener('abort', () => resolve()))
    expect(now).toBe(13_000)
    await held.value.release()
  })

  it('is lost when storage does not answer until it may have ended', async () => {
    const away = await startStorage()
    const { container } = createStorageClients({ kind: 'connectionString', connectionString: away.connectionString })
    await container.create()
    const startedAt = Date.now()
    const times = 100
    const fast = {
      now: () => epochMs((Date.now() - startedAt) * times),
      sleep: (ms: number, until: AbortSignalLike) => clock.sleep(ms / times, until),
    }
    const held = await createLease(container, cluster, { clock: fast, durationSeconds: 60, renewEveryMs: 1_000 }).acquire(signal)
    await away.close()
    if (!held.ok) throw new Error('not acquired')
    await new Promise<void>((resolve) => held.value.lost.addEventListener('abort', () => resolve()))
    expect(fast.now()).toBeGreaterThan(30_000)
    await held.value.release()
  })
})

describe('a lease of a process that ends', () => {
  it('is released at once, so that the next process need not wait, and counts as lost from then on', async () => {
    const over = new AbortController()
    const handedOver: Promise<unknown>[] = []
    const lease = createLease(clients.container, clusterId('ending'), {
      clock,
      ending: { over: over.signal, handedOver: (leaving) => void handedOver.push(leaving) },
    })
    const before = await lease.acquire(signal)
    if (!before.ok) throw new Error('not acquired')
    await before.value.release()
    const held = await lease.acquire(signal)
    if (!held.ok) throw new Error('not acquired')
    over.abort()
    await Promise.all(handedOver)
    expect([handedOver.length, held.value.lost.aborted]).toEqual([1, true])
    await held.value.release()
    expect((await createLease(clients.container, clusterId('ending'), { clock }).acquire(signal)).ok).toBe(true)
  })
})

describe('storage that is not there', () => {
  it('ends a call with a fault, after the tries that a handler has time for', async () => {
    const nowhere = createStorageClients({
      kind: 'connectionString',
      connectionString: storage.connectionString.replace(/BlobEndpoint=[^;]+/, 'BlobEndpoint=http://127.0.0.1:1/devstoreaccount1'),
    })
    await expect(createBlobStore(nowhere.container).read('docs/a', signal)).rejects.toMatchObject({
      name: 'Fault',
      problem: { code: 'STORE.UNAVAILABLE' },
    })
  })
})

describe('createDecisionStore', () => {
  it('gives the newest first and forgets the oldest', async () => {
    const decisions = createDecisionStore(clients.container, cluster, { telemetry: SILENT, keep: 3 })
    const record = (number: number) => ({
      number,
      epoch: 1,
      takenAt: epochMs(number),
      seed: 's',
      position: '{}',
      decision: { actions: [], reasons: [] },
      decideMs: 1,
    })
    for (const number of [8, 9, 10, 11, 12]) await decisions.save(record(number), signal)
    expect((await decisions.latest(2, signal)).map(({ number }) => number)).toEqual([12, 11])
    expect((await decisions.latest(100, signal)).map(({ number }) => number)).toEqual([12, 11, 10])
    expect(await decisions.latest(0, signal)).toEqual([])
  })
})

const HOUR_MS = 3_600_000

describe('createOfferingStore', () => {
  it('keeps the later of two ends, forgets what ended long ago, and loses no mark of many writers', async () => {
    const region = 'regions/s/r'
    const offerings = () =>
      createOfferingStore({ blobs: createBlobStore(clients.container), region, telemetry: SILENT, clock, random: Math.random })
    const blocked = (size: string, until: number) => ({
      scope: { kind: 'offering', size: vmSizeName(size) } as const,
      until: epochMs(until),
      code: 'AZURE.SKU_NOT_AVAILABLE' as const,
      message: 'no',
    })
    expect(await offerings().unavailable(epochMs(0), signal)).toEqual([])
    await offerings().mark([blocked('a', 100), blocked('b', 50)], epochMs(0), signal)
    await offerings().mark([blocked('a', 70), blocked('b', 60)], epochMs(0), signal)
    expect(await offerings().unavailable(epochMs(60), signal)).toEqual([blocked('a', 100), blocked('b', 60)])
    const long = epochMs(60 + 2 * HOUR_MS)
    expect(await offerings().unavailable(long, signal)).toEqual([blocked('a', 100)])
    await Promise.all(['c', 'd', 'e'].map((size) => offerings().mark([blocked(size, 3 * HOUR_MS)], long, signal)))
    const sizes = (await offerings().unavailable(long, signal)).map(({ scope }) => (scope.kind === 'offering' ? scope.size : ''))
    expect(sizes.sort()).toEqual(['a', 'c', 'd', 'e'])
  })
})
