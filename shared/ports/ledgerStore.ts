import type { Result } from '../base/result.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

export type Versioned<Value> = { readonly value: Value; readonly etag: string }

/** The ledger of one cluster, guarded by etag. On save, an undefined `etag` means that the ledger must not exist yet. */
export interface LedgerStore {
  load(signal: AbortSignalLike): Promise<Result<Versioned<Ledger> | undefined, Problem>>
  /** Returns the new etag, or STORE.CONFLICT if another writer saved in between. */
  save(ledger: Ledger, etag: string | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
}
