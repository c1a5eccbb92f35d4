import { decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { err, ok } from '../../base/result.ts'
import { serviceAccountIdentity } from '../../model/caller.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { createIssuerKeys } from './issuerKeys.ts'
import { bearerOf, refused, tokenProblem, unsure } from './tokenProblem.ts'

/** Whose keys sign the tokens of a cluster's service accounts; no issuer while nobody knows it. */
export type ClusterIssuer = { readonly cluster: ClusterId; readonly issuer: string | undefined }

export type ServiceAccountOptions = {
  readonly issuers: (signal: AbortSignalLike) => Promise<readonly ClusterIssuer[]>
  /** What the token must be made for. The API server takes no such token, and this app none that is made for the API server. */
  readonly audience: string
  /** How issuers are reached; default: as everything else. */
  readonly fetch?: typeof fetch
}

/** What API servers sign with. Never a key that both sides hold, and never none. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']
const SUBJECT = /^system:serviceaccount:[^:]+:[^:]+$/

/**
 * Verifies projected tokens of service accounts. The issuer decides of which cluster the caller is, and only issuers of clusters of this app are ever
 * asked for keys, so that no token speaks for a cluster but its own.
 */
export function createServiceAccountCallers({ issuers, audience, fetch: ask = fetch }: ServiceAccountOptions): CallerIdentity {
  const keys = new Map<string, () => Promise<JWTVerifyGetKey>>()
  const keysOf = (issuer: string): Promise<JWTVerifyGetKey> => {
    const known = keys.get(issuer) ?? createIssuerKeys(issuer, ask)
    keys.set(issuer, known)
    return known()
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
        const rules = { issuer: claimed, audience, algorithms: ALGORITHMS, requiredClaims: ['exp', 'sub'], clockTolerance: 60 }
        const { payload } = await jwtVerify(token.value, await keysOf(claimed), rules)
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

/** Nothing is believed yet: this only says whose keys to look at. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
