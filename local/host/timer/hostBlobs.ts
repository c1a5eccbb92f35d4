import type { ContainerClient } from '@azure/storage-blob'
import { blobServiceOf, type StorageConnection } from '../base/storageConnection.ts'
import type { ScheduleStatus, TimerStore } from './timerListener.ts'

const PIPELINE = { retryOptions: { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 500 } }
const CONTAINER = 'azure-webjobs-hosts'

/** The host's own blobs: locks of listeners of which only one may run over all hosts, and the state of timers. */
export function createTimerStore(connection: StorageConnection, hostId: string): TimerStore {
  const container = blobServiceOf(connection, PIPELINE).getContainerClient(CONTAINER)
  return {
    acquireLock: async (functionName, seconds) => {
      const blob = container.getBlockBlobClient(`locks/${hostId}/${functionName}.Listener`)
      await create(container, () => blob.upload('', 0, { conditions: { ifNoneMatch: '*' } }))
      const lease = blob.getBlobLeaseClient()
      const taken = await answered(lease.acquireLease(seconds))
      if (taken === undefined) return undefined
      return {
        renew: async () => (await answered(lease.renewLease())) !== undefined,
        release: async () => {
          await answered(lease.releaseLease())
        },
      }
    },
    readStatus: async (functionName) => {
      const blob = container.getBlobClient(statusPath(hostId, functionName))
      const bytes = await answered(blob.downloadToBuffer())
      return bytes === undefined ? undefined : parseStatus(bytes.toString('utf8'))
    },
    writeStatus: async (functionName, status) => {
      const text = JSON.stringify(status)
      const blob = container.getBlockBlobClient(statusPath(hostId, functionName))
      await create(container, () => blob.upload(text, Buffer.byteLength(text)))
    },
  }
}

function statusPath(hostId: string, functionName: string): string {
  return `timers/${hostId}/${functionName}/status`
}

async function create(container: ContainerClient, upload: () => Promise<unknown>): Promise<void> {
  if ((await answered(upload())) !== undefined) return
  await answered(container.create())
  await answered(upload())
}

/** Returns undefined if storage refuses: the blob or lease exists already, or does not exist. */
async function answered<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
    if (status === 404 || status === 409 || status === 412) return undefined
    throw error
  }
}

function parseStatus(text: string): ScheduleStatus | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return undefined
  const [Last, Next, LastUpdated] = ['Last', 'Next', 'LastUpdated'].map((key) => Object.entries(value).find(([name]) => name === key)?.[1])
  return typeof Last === 'string' && typeof Next === 'string' && typeof LastUpdated === 'string' ? { Last, Next, LastUpdated } : undefined
}
