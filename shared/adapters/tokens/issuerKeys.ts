import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { lazily } from '../../base/lazily.ts'

const LIMIT_MS = 5_000

/** The keys of an OpenID Connect issuer, as its own configuration names their address: looked up once, fetched again when an unknown key appears. */
export function createIssuerKeys(issuer: string, ask: typeof fetch): () => Promise<JWTVerifyGetKey> {
  return lazily(async () => {
    const { issuer: named, jwks_uri: address } = await configurationOf(issuer, ask)
    if (named !== issuer) throw new TypeError(`its configuration is of another issuer, ${String(named)}`)
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (url?.protocol !== 'https:') throw new TypeError('its configuration names no https address of keys in jwks_uri')
    return createRemoteJWKSet(url, { [customFetch]: ask })
  })
}

type Configuration = { readonly issuer?: unknown; readonly jwks_uri?: unknown }

async function configurationOf(issuer: string, ask: typeof fetch): Promise<Configuration> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  // An issuer that sends elsewhere is not the one that was asked.
  const answer = await ask(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS), headers: { accept: 'application/json' } })
  if (answer.status !== 200) throw new TypeError(`${url} answered ${answer.status}`)
  const body: unknown = await answer.json()
  return typeof body === 'object' && body !== null ? body : {}
}
