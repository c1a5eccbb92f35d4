import { type JWTPayload, jwtVerify } from 'jose'
import { err, ok, type Result } from '../../base/result.ts'
import { cloudWith, PUBLIC_CLOUD } from '../../model/cloud.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { Caller, CallerIdentity } from '../../ports/callerIdentity.ts'
import type { Clock } from '../../ports/clock.ts'
import { documentAt } from './issuerDocuments.ts'
import { createIssuerKeys } from './issuerKeys.ts'
import { bearerOf, tokenProblem } from './tokenProblem.ts'
import { rulesAt } from './tokenRules.ts'

export type EntraOptions = {
  /** URL of the authority of the cloud. */
  readonly authority: string
  readonly tenantId: string
  /** The audience that a token must have: the app registration of the function app. */
  readonly audience: string
  readonly clock: Pick<Clock, 'now'>
}

/** The issuers in the tokens of a tenant, for both versions of tokens. */
export function tenantIssuers({ authority, tenantId }: Pick<EntraOptions, 'authority' | 'tenantId'>): readonly string[] {
  const { firstIssuer = PUBLIC_CLOUD.facts.firstIssuer } = cloudWith('authority', authority) ?? {}
  return [`${authority.replace(/\/$/, '')}/${tenantId}/v2.0`, `${firstIssuer}/${tenantId}/`]
}

/** Verifies tokens with the published keys of the tenant. */
export function createEntraCallerIdentity({ authority, tenantId, audience, clock }: EntraOptions): CallerIdentity {
  const base = authority.replace(/\/$/, '')
  const keys = createIssuerKeys({ read: () => documentAt(`${base}/${tenantId}/discovery/v2.0/keys`, fetch), clock })
  const issuers = [...tenantIssuers({ authority, tenantId })]
  return {
    async verify(authorization) {
      const token = bearerOf(authorization)
      if (!token.ok) return token
      try {
        const rules = { issuer: issuers, audience: [audience, `api://${audience}`], requiredClaims: ['exp'] }
        const { payload } = await jwtVerify(token.value, keys, { ...rulesAt(clock), ...rules })
        return callerOf(payload)
      } catch (cause) {
        return err(tokenProblem(cause, base))
      }
    },
  }
}

function callerOf(payload: JWTPayload): Result<Caller, Problem> {
  const objectId = payload['oid']
  if (typeof objectId === 'string') return ok({ identity: objectId.toLowerCase() })
  return err(problem('INPUT.UNAUTHENTICATED', 'the bearer token names no object id (claim oid)'))
}
