import { byText } from '../../base/lists.ts'
import { err, ok } from '../../base/result.ts'
import { problem } from '../../model/problem.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { Versioned } from '../../ports/ledgerStore.ts'
import type { Connection } from './connection.ts'

/** The blobs of the account, by path. */
export type BlobTruth = { readonly blobs: Map<string, Versioned<string>>; writes: number }

export function createBlobTruth(): BlobTruth {
  return { blobs: new Map(), writes: 0 }
}

export function createMemoryBlobStore(truth: BlobTruth, connection: Connection): BlobStore {
  const { blobs } = truth
  return {
    read: (path, signal) => connection.read('blobs.read', path, signal, () => blobs.get(path)),
    write: (path, text, etag, signal) =>
      connection.write('blobs.write', path, signal, () => {
        if (etag !== 'any' && blobs.get(path)?.etag !== etag) {
          return err(
            problem('STORE.CONFLICT', `blob ${path} was written by somebody else: read it again`, { object: path, retryAfterMs: 0 }),
          )
        }
        const next = `"${++truth.writes}"`
        blobs.set(path, { value: text, etag: next })
        return ok(next)
      }),
    remove: (path, signal) => connection.write('blobs.remove', path, signal, () => void blobs.delete(path)),
    list: (prefix, signal) =>
      connection.read('blobs.list', prefix, signal, () => [...blobs.keys()].filter((path) => path.startsWith(prefix)).sort(byText)),
  }
}
