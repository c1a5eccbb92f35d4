import type { Result } from '../base/result.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

export type Versioned<Value> = { readonly value: Value; readonly etag: string }

/** The guarded ledger of one cluster. `etag` undefined on save: the ledger must not exist yet. */
export interface LedgerStore {
  load(signal: AbortSignalLike): Promise<Result<Versioned<Ledger> | undefined, Problem>>
  /** The new etag, or STORE.CONFLICT when somebody else wrote in between. */
  save(ledger: Ledger, etag: string | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
}
