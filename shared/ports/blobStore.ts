import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'
import type { Versioned } from './ledgerStore.ts'

/** Small shared documents, JSON text by path, guarded by etag. */
export interface BlobStore {
  read(path: string, signal: AbortSignalLike): Promise<Versioned<string> | undefined>
  /** `etag` undefined: must not exist yet; `any`: overwrite. STORE.CONFLICT when the guard fails. */
  write(path: string, text: string, etag: string | 'any' | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
  remove(path: string, signal: AbortSignalLike): Promise<void>
  /** Paths that start with the prefix, in order. */
  list(prefix: string, signal: AbortSignalLike): Promise<readonly string[]>
}
