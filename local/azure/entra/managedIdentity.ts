import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import type { TokenIssuer } from './tokens.ts'

/** An identity that the function app may use. A request without a client id gets the first identity. */
export type ManagedIdentity = { readonly clientId: string; readonly objectId: string }

/** The App Service managed identity endpoint, protocol version 2019-08-01. */
export function createManagedIdentityEndpoint(known: () => readonly ManagedIdentity[], header: string, issuer: TokenIssuer) {
  return async (request: HttpRequest): Promise<HttpAnswer> => {
    if (request.headers['x-identity-header'] !== header) return refused(401, 'the X-IDENTITY-HEADER header is missing or wrong')
    const version = request.url.searchParams.get('api-version')
    if (version !== '2019-08-01') return refused(400, `api-version must be 2019-08-01, not ${version}`)
    const resource = request.url.searchParams.get('resource')
    if (resource === null) return refused(400, 'the resource parameter is missing')
    const identities = known()
    const wanted = request.url.searchParams.get('client_id')
    const identity = wanted === null ? identities[0] : identities.find(({ clientId }) => clientId === wanted)
    if (identity === undefined) return refused(400, `no managed identity has the client id ${wanted}`)
    const token = await issuer.issue({ audience: resource.replace(/\/$/, ''), oid: identity.objectId, appid: identity.clientId })
    const expiresOn = String(Math.floor(Date.now() / 1000) + 3600)
    return {
      status: 200,
      body: { access_token: token, expires_on: expiresOn, resource, token_type: 'Bearer', client_id: identity.clientId },
    }
  }
}

function refused(statusCode: number, message: string): HttpAnswer {
  return { status: statusCode, body: { statusCode, message } }
}
