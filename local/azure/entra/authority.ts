import { decodeJwt } from 'jose'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import type { TokenIssuer } from './tokens.ts'

/** An application of the tenant. It may ask for tokens with its secret or with a federated assertion. */
export type EntraClient = {
  readonly clientId: string
  readonly objectId: string
  readonly secret?: string
  readonly federated?: readonly FederatedCredential[]
}

/** Tokens of another issuer that count as the application's own. */
export type FederatedCredential = { readonly issuer: string; readonly subject: string; readonly audiences: readonly string[] }

const FEDERATION_AUDIENCE = 'api://AzureADTokenExchange'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The Entra endpoints that a confidential client and a token checker use. */
export function createAuthority(tenantId: string, clients: () => readonly EntraClient[], issuer: TokenIssuer, baseUrl: () => string) {
  return async (request: HttpRequest): Promise<HttpAnswer> => {
    const path = request.url.pathname.toLowerCase()
    const base = baseUrl()
    if (path.endsWith('/discovery/instance')) {
      return { status: 200, body: { tenant_discovery_endpoint: `${base}/${tenantId}/v2.0/.well-known/openid-configuration`, metadata: [] } }
    }
    if (!path.startsWith(`/${tenantId.toLowerCase()}/`))
      return refused(400, 'invalid_tenant', `AADSTS90002: the tenant in ${request.url.pathname} is not ${tenantId}`)
    if (path.endsWith('/.well-known/openid-configuration')) return { status: 200, body: configuration(base, tenantId, issuer) }
    if (path.endsWith('/discovery/v2.0/keys')) return { status: 200, body: issuer.jwks }
    if (path.endsWith('/oauth2/v2.0/token') && request.method === 'POST') return token(new URLSearchParams(request.body), clients(), issuer)
    return {
      status: 404,
      body: { error: 'not_found', error_description: `the local Entra authority does not serve ${request.method} ${path}` },
    }
  }
}

async function token(form: URLSearchParams, clients: readonly EntraClient[], issuer: TokenIssuer): Promise<HttpAnswer> {
  if (form.get('grant_type') !== 'client_credentials') {
    return refused(400, 'unsupported_grant_type', `AADSTS70003: grant_type must be client_credentials, not ${form.get('grant_type')}`)
  }
  const client = clients.find((known) => known.clientId === form.get('client_id'))
  if (client === undefined)
    return refused(400, 'unauthorized_client', `AADSTS700016: no application has the client id ${form.get('client_id')}`)
  const problem = form.get('client_assertion') === null ? secretProblem(form, client) : assertionProblem(form, client)
  if (problem !== undefined) return refused(401, 'invalid_client', problem)
  const scope = form
    .get('scope')
    ?.split(' ')
    .find((part) => part.endsWith('/.default'))
  if (scope === undefined) return refused(400, 'invalid_scope', 'AADSTS70011: scope must name a resource and end in /.default')
  const accessToken = await issuer.issue({ audience: scope.slice(0, -'/.default'.length), oid: client.objectId, appid: client.clientId })
  return { status: 200, body: { token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600, access_token: accessToken } }
}

function secretProblem(form: URLSearchParams, client: EntraClient): string | undefined {
  return client.secret !== undefined && client.secret === form.get('client_secret')
    ? undefined
    : 'AADSTS7000215: the client secret is wrong'
}

/** Checks the claims of an assertion. The signature is not checked, because the emulator does not have the keys of the issuer. */
function assertionProblem(form: URLSearchParams, { federated }: EntraClient): string | undefined {
  if (form.get('client_assertion_type') !== ASSERTION_TYPE) return `AADSTS50027: client_assertion_type must be ${ASSERTION_TYPE}`
  try {
    const claims = decodeJwt(form.get('client_assertion') ?? '')
    const audiences = [claims.aud].flat()
    if (!audiences.includes(FEDERATION_AUDIENCE)) return `AADSTS700212: the assertion's audience must be ${FEDERATION_AUDIENCE}`
    const isKnown = federated?.some(
      ({ issuer, subject, audiences: given }) =>
        issuer === claims.iss && subject === claims.sub && given.some((each) => audiences.includes(each)),
    )
    if (isKnown === false)
      return `AADSTS700213: No matching federated identity record found for presented assertion subject '${claims.sub}' of issuer '${claims.iss}'.`
    return claims.exp !== undefined && claims.exp * 1000 > Date.now() ? undefined : 'AADSTS700024: the assertion is expired'
  } catch {
    return 'AADSTS50027: the assertion is not a JWT'
  }
}

function configuration(base: string, tenantId: string, issuer: TokenIssuer): object {
  return {
    issuer: issuer.issuer(),
    token_endpoint: `${base}/${tenantId}/oauth2/v2.0/token`,
    authorization_endpoint: `${base}/${tenantId}/oauth2/v2.0/authorize`,
    jwks_uri: `${base}/${tenantId}/discovery/v2.0/keys`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
    response_types_supported: ['token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

function refused(status: number, error: string, description: string): HttpAnswer {
  return { status, body: { error, error_description: description } }
}
