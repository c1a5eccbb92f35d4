import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

/** Who calls, as proven by a token of the tenant. */
export type Caller = {
  /** Object id of the identity in Entra. */
  readonly objectId: string
  readonly applicationId?: string
}

export interface CallerIdentity {
  /**
   * Checks an `authorization` header. INPUT.UNAUTHENTICATED when it is missing, expired, of another tenant or for another audience;
   * NETWORK.FAILED when nobody can tell now.
   */
  verify(authorization: string | undefined, signal: AbortSignalLike): Promise<Result<Caller, Problem>>
}
