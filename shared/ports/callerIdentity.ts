import type { Result } from '../base/result.ts'
import type { Problem } from '../model/problem.ts'
import type { AbortSignalLike } from './clock.ts'

/** The caller of a request, as proven by a token. */
export type Caller = {
  /**
   * In lower case. For an Entra identity, its object id. For a service account of a cluster, the cluster id and the name that the API server uses:
   * `demo:system:serviceaccount:joiner:joiner-shim`. The two kinds of names never collide.
   */
  readonly identity: string
}

export interface CallerIdentity {
  /**
   * Checks an `authorization` header. INPUT.UNAUTHENTICATED if it is missing, expired, of an untrusted issuer or for another audience. NETWORK.FAILED
   * if the token cannot be checked now.
   */
  verify(authorization: string | undefined, signal: AbortSignalLike): Promise<Result<Caller, Problem>>
}
