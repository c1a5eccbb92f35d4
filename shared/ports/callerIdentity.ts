import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

/** Who calls, as proven by a token. */
export type Caller = {
  /**
   * In lower case: the object id of an identity in Entra, or for the service account of a cluster its id and the name that the API server has
   * for it, `demo:system:serviceaccount:joiner:joiner-shim`. No name of one kind is one of the other.
   */
  readonly identity: string
}

export interface CallerIdentity {
  /**
   * Checks an `authorization` header. INPUT.UNAUTHENTICATED when it is missing, expired, of an issuer that nobody here trusts or for another
   * audience; NETWORK.FAILED when nobody can tell now.
   */
  verify(authorization: string | undefined, signal: AbortSignalLike): Promise<Result<Caller, Problem>>
}
