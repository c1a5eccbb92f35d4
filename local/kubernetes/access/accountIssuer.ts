import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JSONWebKeySet, JWK } from 'jose'
import type { JsonObject } from '../object/json.ts'

/** The paths at which an issuer publishes its configuration and its keys. */
export const ISSUER_PATHS = { configuration: '/.well-known/openid-configuration', keys: '/openid/v1/jwks' } as const

/** Signs the tokens of service accounts, as RS256. */
export interface AccountIssuer {
  /** Returns the name of the issuer: the address that serves the two documents. */
  name(): string
  sign(claims: JsonObject): string
  keys(): JSONWebKeySet
  configuration(): JsonObject
  /** Signs with a new key from now on. Tokens of the old key stay valid while that key is published. */
  rotateKey(options: { readonly keepsOld: boolean }): void
}

type SigningKey = { readonly kid: string; readonly secret: KeyObject; readonly jwk: JWK }

export function createAccountIssuer(name: () => string): AccountIssuer {
  let keys: readonly [SigningKey, ...SigningKey[]] = [newKey()]
  return {
    name,
    sign(claims) {
      const [{ kid, secret }] = keys
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
      const signed = `${part({ alg: 'RS256', kid })}.${part(claims)}`
      return `${signed}.${sign('sha256', Buffer.from(signed), secret).toString('base64url')}`
    },
    keys: () => ({ keys: keys.map(({ jwk }) => jwk) }),
    configuration: () => ({
      issuer: name(),
      jwks_uri: `${name()}${ISSUER_PATHS.keys}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    rotateKey({ keepsOld }) {
      keys = [newKey(), ...(keepsOld ? keys : [])]
    },
  }
}

/** Makes a key. Its id is the hash of its public half, as in the API server. */
function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const kid = createHash('sha256').update(der).digest('base64url')
  return { kid, secret: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, alg: 'RS256' } }
}
