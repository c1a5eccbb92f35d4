import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { createBoundedMap } from '../../../shared/base/caches.ts'
import { canonicalJson } from '../../../shared/base/json.ts'
import { messageOf } from '../../../shared/base/result.ts'

export type TokenRequest = {
  readonly audience: string
  /** Object id of the principal. */
  readonly oid: string
  /** Client id of the application. */
  readonly appid: string
  /** The name by which a person signs in. Undefined for an application. */
  readonly userName?: string
  /** Default: one hour. */
  readonly expiresInSeconds?: number
}

export type TokenClaims = { readonly oid: string; readonly appid: string }

/** Signs and checks the tokens of one tenant with a key made at start. */
export interface TokenIssuer {
  /** Known once the authority listens. */
  readonly issuer: () => string
  issue(request: TokenRequest): Promise<string>
  /** Returns the claims of the token in an authorization header, if it is for one of the audiences. Otherwise the reason of the refusal. */
  check(authorization: string | undefined, audiences: readonly string[]): Promise<TokenClaims | { readonly refused: string }>
  readonly jwks: { readonly keys: readonly object[] }
}

/** Claims of access tokens, https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference, 2026-11. */
function typeOf({ userName }: TokenRequest): object {
  return userName === undefined ? { idtyp: 'app' } : { idtyp: 'user', preferred_username: userName }
}

/** The most tokens kept whose signature was checked. A client sends one token with each request of an hour. */
const MOST_CHECKED = 100

export async function createTokenIssuer(issuer: () => string, tenantId: string): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { modulusLength: 2048 })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'local-1', use: 'sig', alg: 'RS256' }
  const keySet = createLocalJWKSet({ keys: [jwk] })
  const checked = createBoundedMap<string, { readonly claims: TokenClaims; readonly endsAt: number }>(MOST_CHECKED)

  async function verify(token: string, audiences: readonly string[]): Promise<TokenClaims> {
    const key = canonicalJson([token, audiences])
    const known = checked.get(key)
    if (known !== undefined && Date.now() < known.endsAt) return known.claims
    const { payload } = await jwtVerify(token, keySet, {
      issuer: issuer(),
      audience: audiences.flatMap((audience) => [audience, `${audience}/`]),
    })
    const claims = { oid: String(payload['oid']), appid: String(payload['appid']) }
    checked.set(key, { claims, endsAt: (payload.exp ?? 0) * 1_000 })
    return claims
  }

  return {
    issuer,
    jwks: { keys: [jwk] },
    issue: (request) =>
      new SignJWT({ oid: request.oid, appid: request.appid, azp: request.appid, tid: tenantId, ver: '2.0', ...typeOf(request) })
        .setProtectedHeader({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' })
        .setIssuer(issuer())
        .setSubject(request.oid)
        .setAudience(request.audience)
        .setIssuedAt()
        .setNotBefore('0s')
        .setExpirationTime(`${request.expiresInSeconds ?? 3600}s`)
        .sign(privateKey),
    async check(authorization, audiences) {
      if (authorization === undefined) return { refused: 'the Authorization header is missing' }
      const token = /^Bearer (.+)$/i.exec(authorization)?.[1]
      if (token === undefined) return { refused: 'the Authorization header is not a bearer token' }
      try {
        return await verify(token, audiences)
      } catch (error) {
        return { refused: messageOf(error) }
      }
    },
  }
}
