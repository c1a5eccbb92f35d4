// The destinations of Event Grid: the functions of the app once it is deployed, and the storage account.
import { BlobServiceClient } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import type { Outlets as EventOutlets } from '../../../local/azure/eventgrid/outlets.ts'

export type Outlets = EventOutlets & {
  /** Sets where the app runs from now on. Undefined if it runs no more. */
  setApp(app: { readonly siteId: string; readonly url: string; readonly systemKey: string } | undefined): void
  setStorage(connectionString: string | undefined): void
}

export function createOutlets(): Outlets {
  let app: Parameters<Outlets['setApp']>[0]
  let storage: string | undefined
  const connection = (storageId: string): string => {
    if (storage === undefined) throw new Error(`${storageId} is not there`)
    return storage
  }
  return {
    setApp: (next) => {
      app = next
    },
    setStorage: (next) => {
      storage = next
    },
    functionUrl(functionId) {
      const [, siteId = '', name = ''] = /^(.*)\/functions\/([^/]+)$/i.exec(functionId) ?? []
      if (app === undefined || app.siteId.toLowerCase() !== siteId.toLowerCase()) return undefined
      return `${app.url}/runtime/webhooks/eventgrid?functionName=${name}&code=${app.systemKey}`
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
