import { decodeJwt } from 'jose'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import { bearerOf } from './tokenProblem.ts'

export type IssuerWays = {
  /** Issuers of the tenant. */
  readonly tenantIssuers: readonly string[]
  readonly tenant: CallerIdentity
  /** Judges the tokens of all other issuers. */
  readonly others: CallerIdentity
}

/** Callers who bring a token of the tenant, or one of a cluster. The issuer that a token names says only who judges it; nothing is believed yet. */
export function createCallersByIssuer({ tenantIssuers, tenant, others }: IssuerWays): CallerIdentity {
  return {
    verify(authorization, signal) {
      const token = bearerOf(authorization)
      const issuer = token.ok ? issuerIn(token.value) : undefined
      return (issuer !== undefined && tenantIssuers.includes(issuer) ? tenant : others).verify(authorization, signal)
    },
  }
}

/** Whose keys to look at; undefined where the text is no token or names nobody. */
export function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}
