import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { err, ok, type Result } from '../../base/result.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { Caller, CallerIdentity } from '../../ports/callerIdentity.ts'
import { bearerOf, tokenProblem } from './tokenProblem.ts'

export type EntraOptions = {
  /** `https://login.microsoftonline.com`, or the authority of another cloud. */
  readonly authority: string
  readonly tenantId: string
  /** What the token must be made for: the app registration of the function app. */
  readonly audience: string
}

/** Verifies tokens against the tenant's published keys, which are fetched once and again when an unknown key appears. */
export function createEntraCallerIdentity({ authority, tenantId, audience }: EntraOptions): CallerIdentity {
  const base = authority.replace(/\/$/, '')
  const keys = createRemoteJWKSet(new URL(`${base}/${tenantId}/discovery/v2.0/keys`))
  const issuers = [`${base}/${tenantId}/v2.0`, `https://sts.windows.net/${tenantId}/`]
  return {
    async verify(authorization) {
      const token = bearerOf(authorization)
      if (!token.ok) return token
      try {
        const rules = { issuer: issuers, audience: [audience, `api://${audience}`], clockTolerance: 60 }
        const { payload } = await jwtVerify(token.value, keys, rules)
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
