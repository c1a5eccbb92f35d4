import type { ContainerClient } from '@azure/storage-blob'
import type { BlobStore } from '../../ports/blobStore.ts'
import { listBlobs, readText, removeBlob, writeText } from './blobText.ts'

export function createBlobStore(container: ContainerClient): BlobStore {
  return {
    read: (path, signal) => readText(container.getBlobClient(path), signal),
    write: (path, text, etag, signal) => writeText(container.getBlockBlobClient(path), text, etag, signal),
    remove: (path, signal) => removeBlob(container.getBlobClient(path), signal),
    list: (prefix, signal) => listBlobs(container, prefix, signal),
  }
}
