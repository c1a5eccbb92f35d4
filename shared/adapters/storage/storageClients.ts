import type { TokenCredential } from '@azure/identity'
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob'
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue'
import { mapBounded } from '../../base/concurrency.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { attempt } from './storageError.ts'

export type StorageAccount =
  | { readonly kind: 'connectionString'; readonly connectionString: string }
  | { readonly kind: 'identity'; readonly blobUrl: string; readonly queueUrl: string; readonly credential: TokenCredential }

export type StorageClients = {
  /** The container of all blobs of the app. */
  readonly container: ContainerClient
  readonly queue: (name: string) => QueueClient
}

const CONTAINER = 'joiner'

/** Queues that are made at a time. */
const AT_ONCE = 10

/** Four tries within about three seconds, because a handler has only seconds. Then the message or the caller tries again. */
const PIPELINE = {
  retryOptions: { maxTries: 4, retryDelayInMs: 200, maxRetryDelayInMs: 2_000, tryTimeoutInMs: 30_000 },
}

export function createStorageClients(account: StorageAccount): StorageClients {
  const { blobs, queues } = servicesOf(account)
  return {
    container: blobs.getContainerClient(CONTAINER),
    queue: (name) => queues.getQueueClient(name),
  }
}

/**
 * Creates the container and the queues if they do not exist. The Functions host warns at every poll of a queue that is not there.
 */
export async function prepareStorage(clients: StorageClients, signal: AbortSignalLike, queues: readonly string[]): Promise<void> {
  const options = { abortSignal: signal }
  const exists = ['ContainerAlreadyExists', 'QueueAlreadyExists']
  await Promise.all([
    attempt('create the blob container', exists, signal, () => clients.container.create(options)),
    mapBounded(queues, AT_ONCE, (name) => attempt(`create the ${name} queue`, exists, signal, () => clients.queue(name).create(options))),
  ])
}

function servicesOf(account: StorageAccount): { blobs: BlobServiceClient; queues: QueueServiceClient } {
  switch (account.kind) {
    case 'connectionString':
      return {
        blobs: BlobServiceClient.fromConnectionString(account.connectionString, PIPELINE),
        queues: QueueServiceClient.fromConnectionString(account.connectionString, PIPELINE),
      }
    case 'identity':
      return {
        blobs: new BlobServiceClient(account.blobUrl, account.credential, PIPELINE),
        queues: new QueueServiceClient(account.queueUrl, account.credential, PIPELINE),
      }
  }
}
