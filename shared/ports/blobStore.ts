import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'
import type { Versioned } from './ledgerStore.ts'

/** Small shared documents: JSON text by path, guarded by etag. */
export interface BlobStore {
  read(path: string, signal: AbortSignalLike): Promise<Versioned<string> | undefined>
  /** `etag`: `undefined` if the document must not exist yet, `any` to overwrite. Returns the new etag, or STORE.CONFLICT if the guard fails. */
  write(path: string, text: string, etag: string | 'any' | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
  remove(path: string, signal: AbortSignalLike): Promise<void>
  /** Returns the paths that start with the prefix, in order. */
  list(prefix: string, signal: AbortSignalLike): Promise<readonly string[]>
}
