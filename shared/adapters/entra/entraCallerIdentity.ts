import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { defined } from '../../base/defined.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { Caller, CallerIdentity } from '../../ports/callerIdentity.ts'

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
      const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
      if (token === undefined)
        return err(problem('INPUT.UNAUTHENTICATED', 'the request carries no bearer token; send one in the authorization header'))
      try {
        const { payload } = await jwtVerify(token, keys, { issuer: issuers, audience: [audience, `api://${audience}`], clockTolerance: 60 })
        return callerOf(payload)
      } catch (cause) {
        return err(problemOf(cause, base))
      }
    },
  }
}

/** What is wrong with the token itself. Anything else says nothing about the caller. */
const REFUSALS: ReadonlySet<string> = new Set(
  [
    errors.JWTClaimValidationFailed,
    errors.JWTExpired,
    errors.JWTInvalid,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ].map(({ code }) => code),
)

/** The keys come from a service that may be away for minutes. */
const KEYS_RETRY_MS = 5_000

function problemOf(cause: unknown, authority: string): Problem {
  const why = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof errors.JOSEError && REFUSALS.has(cause.code)) {
    return problem('INPUT.UNAUTHENTICATED', `the bearer token is not accepted: ${why}`)
  }
  const message = `the keys of ${authority} cannot be read, so no token can be checked: ${why}; the call is to be repeated`
  return problem('NETWORK.FAILED', message, { retryAfterMs: KEYS_RETRY_MS })
}

function callerOf(payload: JWTPayload): Result<Caller, Problem> {
  const objectId = payload['oid']
  const applicationId = payload['appid'] ?? payload['azp']
  if (typeof objectId !== 'string') return err(problem('INPUT.UNAUTHENTICATED', 'the bearer token names no object id (claim oid)'))
  return ok(defined({ objectId, applicationId: typeof applicationId === 'string' ? applicationId : undefined }))
}
