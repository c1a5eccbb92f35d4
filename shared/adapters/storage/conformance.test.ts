import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storage, startStorage } from '../../../local/storage/startStorage.ts'
import { SILENT as telemetry } from '../../../test/builders/telemetry.ts'
import { describeBacklog } from '../../../test/conformance/backlog.ts'
import { describeBlobStore } from '../../../test/conformance/blobStore.ts'
import { describeClusterLog, ROTATE_AFTER, record } from '../../../test/conformance/clusterLog.ts'
import { describeDecisionStore } from '../../../test/conformance/decisionStore.ts'
import { describeLease } from '../../../test/conformance/lease.ts'
import { describeLedgerStore } from '../../../test/conformance/ledgerStore.ts'
import { describeOfferingStore } from '../../../test/conformance/offeringStore.ts'
import { describeWakeQueue } from '../../../test/conformance/wakeQueue.ts'
import { clusterId } from '../../model/ids.ts'
import type { HeldLease, Lease } from '../../ports/lease.ts'
import { printLogRecord } from '../../wire/logRecord.ts'
import { parseWake } from '../../wire/wake.ts'
import { createSystemClock } from '../system/systemClock.ts'
import { createBacklog } from './backlog.ts'
import { createBlobStore } from './blobStore.ts'
import { createClusterLog } from './clusterLog.ts'
import { createDecisionStore } from './decisionStore.ts'
import { createLease } from './lease.ts'
import { createLedgerStore } from './ledgerStore.ts'
import { createOfferingStore } from './offeringStore.ts'
import { createStorageClients, prepareStorage } from './storageClients.ts'
import { createWakeQueue } from './wakeQueue.ts'

const signal = new AbortController().signal
const cluster = clusterId('conformance')
const clock = createSystemClock()

let storage: Storage
let containers = 0
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.close())

async function freshContainer(): Promise<ContainerClient> {
  const container = BlobServiceClient.fromConnectionString(storage.connectionString).getContainerClient(`world-${++containers}`)
  await container.create()
  return container
}

describeBlobStore('Azure Storage', async () => ({ blobs: createBlobStore(await freshContainer()) }))

describeLedgerStore('Azure Storage', async () => {
  const container = await freshContainer()
  return { ledger: createLedgerStore(container, cluster), other: createLedgerStore(container, cluster) }
})

describeDecisionStore('Azure Storage', async () => ({ decisions: createDecisionStore(await freshContainer(), cluster, { telemetry }) }))

describeOfferingStore('Azure Storage', async () => {
  const container = await freshContainer()
  const open = () =>
    createOfferingStore({ blobs: createBlobStore(container), region: 'regions/s/eastus', telemetry, clock, random: Math.random })
  return { offerings: open(), other: open() }
})

describeClusterLog('Azure Storage', async () => {
  const container = await freshContainer()
  const rotateBytes = (printLogRecord(record(1)).length * ROTATE_AFTER) / 2
  const open = () => createClusterLog(container, cluster, { clock, telemetry, rotateBytes })
  return { log: open(), other: open() }
})

describeLease('Azure Storage', async () => {
  const container = await freshContainer()
  const held: HeldLease[] = []
  const open = (): Lease => {
    const lease = createLease(container, cluster, { clock, durationSeconds: 15, renewEveryMs: 20 })
    return {
      acquire: async (until) => {
        const result = await lease.acquire(until)
        if (result.ok) held.push(result.value)
        return result
      },
    }
  }
  const breakLease = async () => {
    await container.getBlobClient(`clusters/${cluster}/lease`).getBlobLeaseClient().breakLease(0)
    const last = held.at(-1)
    if (last?.lost.aborted === false) await new Promise<void>((resolve) => last.lost.addEventListener('abort', () => resolve()))
  }
  const close = async () => {
    for (const lease of held) await lease.release()
  }
  return { one: open(), two: open(), breakLease, close }
})

describeBacklog('Azure Storage', async () => {
  const clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
  await prepareStorage(clients, signal, ['wake'])
  const queue = clients.queue('wake')
  await queue.clearMessages()
  return { backlog: createBacklog([queue]), wakes: createWakeQueue(queue), now: () => clock.now() }
})

describe('queues that others write to', () => {
  it('are as good as empty while nobody has made them', async () => {
    const clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
    const backlog = createBacklog([clients.queue('never-poison')])
    expect(await backlog.look(signal)).toEqual([{ queue: 'never-poison', messages: 0 }])
  })

  it('have waited since somebody put a message in, however long it may stay', async () => {
    const clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
    const queue = clients.queue('other-poison')
    await queue.createIfNotExists()
    await queue.clearMessages()
    const before = clock.now()
    // The host and Event Grid send like this: with a lifetime of seven days and without a delay.
    await queue.sendMessage('{}')
    const [found] = await createBacklog([queue]).look(signal)
    expect(found).toMatchObject({ queue: 'other-poison', messages: 1 })
    expect(Math.abs((found?.waitsSince ?? 0) - before)).toBeLessThan(5_000)
  })
})

describeWakeQueue('Azure Storage', async () => {
  const clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
  await prepareStorage(clients, signal, ['wake'])
  const queue = clients.queue('wake')
  await queue.clearMessages()
  return {
    wakes: createWakeQueue(queue),
    received: async () => {
      const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32, visibilityTimeout: 600 })
      return receivedMessageItems.map(({ messageText }) => {
        const parsed = parseWake(JSON.parse(messageText))
        return parsed.ok ? parsed.value : parsed
      })
    },
  }
})
