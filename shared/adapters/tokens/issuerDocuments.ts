const LIMIT_MS = 5_000
/** The accepted types. An API server returns its keys only to requests that accept the second type. */
const ACCEPT = 'application/json, application/jwk-set+json'

/** Reads the key set of an OpenID Connect issuer from the URL in its configuration. */
export async function keysOfIssuer(issuer: string, ask: typeof fetch): Promise<object> {
  const where = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { issuer: named, jwks_uri: address }: Configuration = await documentAt(where, ask)
  if (named !== issuer) throw new TypeError(`its configuration is of another issuer, ${String(named)}`)
  const url = typeof address === 'string' ? URL.parse(address) : null
  if (url?.protocol !== 'https:') throw new TypeError('its configuration names no https address of keys in jwks_uri')
  return documentAt(url.href, ask)
}

type Configuration = { readonly issuer?: unknown; readonly jwks_uri?: unknown }

export async function documentAt(url: string, ask: typeof fetch): Promise<object> {
  // Redirects are not followed: the target would not be the issuer that was asked.
  const answer = await ask(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS), headers: { accept: ACCEPT } })
  if (answer.status !== 200) throw new TypeError(`${url} answered ${answer.status}`)
  const body: unknown = await answer.json()
  if (typeof body !== 'object' || body === null) throw new TypeError(`${url} answered with no object`)
  return body
}
