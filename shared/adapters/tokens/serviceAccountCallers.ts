import { type JWTVerifyGetKey, jwtVerify } from 'jose'
import { err, ok } from '../../base/result.ts'
import { type ClusterId, serviceAccountIdentity } from '../../model/ids.ts'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import { issuerIn } from './callersByIssuer.ts'
import { keysOfIssuer } from './issuerDocuments.ts'
import { createIssuerKeys } from './issuerKeys.ts'
import { bearerOf, refused, tokenProblem, unsure } from './tokenProblem.ts'
import { rulesAt } from './tokenRules.ts'

/** The issuer of the service account tokens of a cluster. `issuer` is undefined while it is not known. */
export type ClusterIssuer = { readonly cluster: ClusterId; readonly issuer: string | undefined }

export type ServiceAccountOptions = {
  readonly issuers: (signal: AbortSignalLike) => Promise<readonly ClusterIssuer[]>
  /** The audience that a token must have. The API server does not accept such tokens, and this app does not accept tokens for the API server. */
  readonly audience: string
  readonly clock: Pick<Clock, 'now'>
  /** The function that reaches issuers. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** The oldest accepted token. The chart allows no longer lifetime. A token with a lifetime of a year is refused after its first day. */
const OLDEST = '24h'
const SUBJECT = /^system:serviceaccount:[^:]+:[^:]+$/

/**
 * Verifies projected service account tokens. The issuer of a token determines the cluster of the caller. Only issuers of clusters of this app are
 * asked for keys, so a token is valid only for its own cluster.
 */
export function createServiceAccountCallers({ issuers, audience, clock, fetch: ask = fetch }: ServiceAccountOptions): CallerIdentity {
  const keys = new Map<string, JWTVerifyGetKey>()
  const keysOf = (issuer: string): JWTVerifyGetKey => {
    const known = keys.get(issuer) ?? createIssuerKeys({ read: () => keysOfIssuer(issuer, ask), clock })
    keys.set(issuer, known)
    return known
  }
  return {
    async verify(authorization, signal) {
      const token = bearerOf(authorization)
      if (!token.ok) return token
      const claimed = issuerIn(token.value)
      if (claimed === undefined) return err(refused('it is not a token of a service account, or names no issuer'))
      const known = await issuers(signal)
      const owner = known.find(({ issuer }) => issuer === claimed)
      if (owner === undefined) {
        const isAnyUnknown = known.some(({ issuer }) => issuer === undefined)
        return err(
          isAnyUnknown ? unsure('the issuers of not all clusters are known yet') : refused('its issuer is that of no cluster here'),
        )
      }
      try {
        const rules = { issuer: claimed, audience, requiredClaims: ['exp', 'sub'], maxTokenAge: OLDEST }
        const { payload } = await jwtVerify(token.value, keysOf(claimed), { ...rulesAt(clock), ...rules })
        const { sub = '' } = payload
        return SUBJECT.test(sub)
          ? ok({ identity: serviceAccountIdentity(owner.cluster, sub) })
          : err(refused('its subject is no service account'))
      } catch (cause) {
        return err(tokenProblem(cause, claimed))
      }
    },
  }
}
