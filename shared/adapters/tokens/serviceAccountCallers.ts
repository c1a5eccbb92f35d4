import { type JWTVerifyGetKey, jwtVerify } from 'jose'
import { err, ok } from '../../base/result.ts'
import { serviceAccountIdentity } from '../../model/caller.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import { issuerIn } from './callersByIssuer.ts'
import { keysOfIssuer } from './issuerDocuments.ts'
import { createIssuerKeys } from './issuerKeys.ts'
import { bearerOf, refused, tokenProblem, unsure } from './tokenProblem.ts'
import { rulesAt } from './tokenRules.ts'

/** Whose keys sign the tokens of a cluster's service accounts; no issuer while nobody knows it. */
export type ClusterIssuer = { readonly cluster: ClusterId; readonly issuer: string | undefined }

export type ServiceAccountOptions = {
  readonly issuers: (signal: AbortSignalLike) => Promise<readonly ClusterIssuer[]>
  /** What the token must be made for. The API server takes no such token, and this app none that is made for the API server. */
  readonly audience: string
  readonly clock: Pick<Clock, 'now'>
  /** How issuers are reached; default: as everything else. */
  readonly fetch?: typeof fetch
}

/** The chart takes no longer life for a token. One that somebody had made for a year is of no use beyond its first day. */
const OLDEST = '24h'
const SUBJECT = /^system:serviceaccount:[^:]+:[^:]+$/

/**
 * Verifies projected tokens of service accounts. The issuer decides of which cluster the caller is, and only issuers of clusters of this app are ever
 * asked for keys, so that no token speaks for a cluster but its own.
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
