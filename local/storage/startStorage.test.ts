import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobServiceClient } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import { describe, expect, it } from 'vitest'
import { startStorage } from './startStorage.ts'

describe('startStorage', () => {
  it('serves blobs and queues, and two stores do not see each other', async () => {
    const [one, two] = await Promise.all([startStorage(), startStorage()])
    try {
      const container = BlobServiceClient.fromConnectionString(one.connectionString).getContainerClient('things')
      await container.create()
      await container.getBlockBlobClient('a/b').upload('text', 4)
      const queue = QueueServiceClient.fromConnectionString(one.connectionString).getQueueClient('work')
      await queue.create()
      await queue.sendMessage('{"n":1}')
      const received = await queue.receiveMessages()
      expect(received.receivedMessageItems.map((message) => message.messageText)).toEqual(['{"n":1}'])
      const elsewhere = BlobServiceClient.fromConnectionString(two.connectionString).getContainerClient('things')
      expect(await elsewhere.exists()).toBe(false)
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })

  it('keeps its content in a folder across a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'joiner-storage-'))
    try {
      const first = await startStorage({ dataDir })
      const container = BlobServiceClient.fromConnectionString(first.connectionString).getContainerClient('things')
      await container.create()
      await container.getBlockBlobClient('kept').upload('text', 4)
      await first.close()
      const second = await startStorage({ dataDir })
      const again = BlobServiceClient.fromConnectionString(second.connectionString).getContainerClient('things')
      const text = await again.getBlobClient('kept').downloadToBuffer()
      await second.close()
      expect(text.toString()).toBe('text')
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
