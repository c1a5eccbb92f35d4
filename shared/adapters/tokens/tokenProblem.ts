import { errors } from 'jose'
import { err, messageOf, ok, type Result } from '../../base/result.ts'
import { type Problem, problem } from '../../model/problem.ts'

/** The token of an `authorization` header. */
export function bearerOf(authorization: string | undefined): Result<string, Problem> {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  if (token !== undefined) return ok(token)
  return err(problem('INPUT.UNAUTHENTICATED', 'the request carries no bearer token; send one in the authorization header'))
}

/** The error codes of an invalid token. Any other error says nothing about the caller. */
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

/** The retry time if keys cannot be read. They come from a service that may be away for minutes. */
const KEYS_RETRY_MS = 5_000

/** Why a token was not verified: INPUT.UNAUTHENTICATED if the token is invalid, NETWORK.FAILED if the keys of its issuer cannot be read. */
export function tokenProblem(cause: unknown, issuer: string): Problem {
  const why = messageOf(cause)
  if (cause instanceof errors.JOSEError && REFUSALS.has(cause.code)) return refused(why)
  return unsure(`the keys of ${issuer} cannot be read, so no token can be checked: ${why}`)
}

export function refused(why: string): Problem {
  return problem('INPUT.UNAUTHENTICATED', `the bearer token is not accepted: ${why}`)
}

/** The Problem of a token that cannot be verified now. The caller must repeat the call. */
export function unsure(why: string): Problem {
  return problem('NETWORK.FAILED', `${why}; the call is to be repeated`, { retryAfterMs: KEYS_RETRY_MS })
}
