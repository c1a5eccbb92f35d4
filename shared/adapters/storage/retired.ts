import { mapBounded } from '../../base/concurrency.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { StorageClients } from './storageClients.ts'
import { attempt } from './storageError.ts'

/** What an earlier version of the app made and no part reads any more. */
export type Retired = {
  readonly queues: readonly string[]
  /** The beginnings of the names of blobs. */
  readonly blobs: readonly string[]
}

type From = Pick<StorageClients, 'queue'> & { readonly documents: Pick<BlobStore, 'list' | 'remove'> }

const AT_ONCE = 10

/**
 * Deletes queues of an earlier version with their messages, since no template deletes a resource that it has no more. The blobs go first, so that a
 * process that ends in between leaves a queue, and the next start goes on. Without such a queue, nothing is listed.
 */
export async function removeRetired({ queue, documents }: From, retired: Retired, signal: AbortSignalLike): Promise<void> {
  const options = { abortSignal: signal }
  const found = await mapBounded(retired.queues, AT_ONCE, (name) =>
    attempt(`look for the ${name} queue`, ['QueueNotFound'], signal, () => queue(name).getProperties(options)),
  )
  const left = retired.queues.filter((_, index) => found[index]?.ok === true)
  if (left.length === 0) return
  for (const prefix of retired.blobs)
    await mapBounded(await documents.list(prefix, signal), AT_ONCE, (path) => documents.remove(path, signal))
  const gone = ['QueueNotFound', 'QueueBeingDeleted']
  await mapBounded(left, AT_ONCE, (name) => attempt(`delete the ${name} queue`, gone, signal, () => queue(name).delete(options)))
}
