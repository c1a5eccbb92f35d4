import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { OidcOptions } from '../kubernetesOptions.ts'
import type { TokenReader } from './authentication.ts'

/** Reads JWTs of one issuer, as AKS with Entra does. The user name is the object id in the token. */
export function readJwts(options: OidcOptions, now: () => number): TokenReader {
  const keys = keysOf(options)
  return async (token) => {
    if (token.split('.').length !== 3 || !keys) return undefined
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: options.issuer,
        audience: options.audience,
        currentDate: new Date(now()),
        requiredClaims: ['exp', 'oid'],
      })
      const name = payload['oid']
      const groups = payload['groups']
      if (typeof name !== 'string' || name === '') return undefined
      return { name, uid: '', groups: Array.isArray(groups) ? groups.map(String) : [] }
    } catch {
      // Every invalid token gets the same 401, as on the real server.
      return undefined
    }
  }
}

function keysOf(options: OidcOptions): JWTVerifyGetKey | undefined {
  if (options.keys) return createLocalJWKSet(options.keys)
  return options.jwksUri === undefined ? undefined : createRemoteJWKSet(new URL(options.jwksUri))
}
