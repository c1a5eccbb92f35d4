const LIMIT_MS = 5_000
/** An API server gives its keys only to who asks for the second. */
const ACCEPT = 'application/json, application/jwk-set+json'

/** The key set of an OpenID Connect issuer, at the address that its own configuration names. */
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
  // An issuer that sends elsewhere is not the one that was asked.
  const answer = await ask(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS), headers: { accept: ACCEPT } })
  if (answer.status !== 200) throw new TypeError(`${url} answered ${answer.status}`)
  const body: unknown = await answer.json()
  if (typeof body !== 'object' || body === null) throw new TypeError(`${url} answered with no object`)
  return body
}
