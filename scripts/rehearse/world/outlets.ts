// The destinations of Event Grid: the functions of the app once it is deployed, and the storage account.
import { BlobServiceClient } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import type { Outlets as EventOutlets } from '../../../local/azure/eventgrid/outlets.ts'

export type Outlets = EventOutlets & {
  /** Sets where the app of a site runs from now on. */
  setApp(app: RunningApp): void
  /** Sets how an account is opened from now on. */
  setStorage(storageId: string, connectionString: string): void
}

type RunningApp = { readonly siteId: string; readonly url: string; readonly systemKey: string }

export function createOutlets(): Outlets {
  const apps = new Map<string, RunningApp>()
  const accounts = new Map<string, string>()
  const connection = (storageId: string): string => {
    const found = accounts.get(storageId.toLowerCase())
    if (found === undefined) throw new Error(`${storageId} is not there`)
    return found
  }
  return {
    setApp: (app) => void apps.set(app.siteId.toLowerCase(), app),
    setStorage: (storageId, connectionString) => void accounts.set(storageId.toLowerCase(), connectionString),
    functionUrl(functionId) {
      const [, siteId = '', name = ''] = /^(.*)\/functions\/([^/]+)$/i.exec(functionId) ?? []
      const app = apps.get(siteId.toLowerCase())
      return app && `${app.url}/runtime/webhooks/eventgrid?functionName=${name}&code=${app.systemKey}`
    },
    async enqueue(storageId, queue, text, ttlSeconds) {
      const client = QueueServiceClient.fromConnectionString(connection(storageId)).getQueueClient(queue)
      await client.sendMessage(text, ttlSeconds === undefined ? {} : { messageTimeToLive: ttlSeconds })
    },
    async writeBlob(storageId, container, path, text) {
      const client = BlobServiceClient.fromConnectionString(connection(storageId)).getContainerClient(container)
      await client.getBlockBlobClient(path).upload(text, Buffer.byteLength(text))
    },
  }
}
