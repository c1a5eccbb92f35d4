import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

/** The single-writer right over one cluster. Renewed in the background until it is released. */
export interface HeldLease {
  /** Aborts when the lease is lost or may have been lost. */
  readonly lost: AbortSignalLike
  release(): Promise<void>
}

export interface Lease {
  /** Returns STORE.LEASE_HELD if another live writer holds the lease. Does not wait. */
  acquire(signal: AbortSignalLike): Promise<Result<HeldLease, Problem>>
}
