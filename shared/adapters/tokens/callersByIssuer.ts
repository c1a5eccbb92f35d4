import { decodeJwt } from 'jose'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import { bearerOf } from './tokenProblem.ts'

export type IssuerWays = {
  /** Issuers of the tenant. */
  readonly tenantIssuers: readonly string[]
  readonly tenant: CallerIdentity
  /** Verifies the tokens of all other issuers. */
  readonly others: CallerIdentity
}

/** Verifies callers with a token of the tenant or of a cluster. The issuer in a token only selects who verifies it. It is not trusted yet. */
export function createCallersByIssuer({ tenantIssuers, tenant, others }: IssuerWays): CallerIdentity {
  return {
    verify(authorization, signal) {
      const token = bearerOf(authorization)
      const issuer = token.ok ? issuerIn(token.value) : undefined
      return (issuer !== undefined && tenantIssuers.includes(issuer) ? tenant : others).verify(authorization, signal)
    },
  }
}

/** The issuer in an unverified token. Undefined if the text is no token or has no issuer. */
export function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
