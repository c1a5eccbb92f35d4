import type { IncomingMessage, Server } from 'node:http'
import { type DataNeed, dataNeed, type StorageRequest } from './dataNeeds.ts'

/** Reports whether a principal may do what a request needs. `principalId` is the object id in the token. */
export type Judge = (principalId: string, need: DataNeed | undefined, request: StorageRequest) => boolean

/**
 * Judges each request that has a token before the server sees it, and refuses as Azure Storage does. A request that is signed with the key of the
 * account may do everything, as in Azure. The server itself checks whether the token is genuine.
 */
export function admit(server: Server, service: StorageRequest['service'], judge: Judge): void {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (incoming, outgoing) => {
    const principalId = principalOf(incoming)
    const request = { service, method: incoming.method ?? '', path: pathOf(incoming), headers: incoming.headers }
    if (principalId === undefined || judge(principalId, dataNeed(request), request)) {
      for (const listener of listeners) Reflect.apply(listener, server, [incoming, outgoing])
      return
    }
    incoming.resume()
    outgoing.writeHead(403, { 'content-type': 'application/xml', 'x-ms-error-code': REFUSED })
    outgoing.end(incoming.method === 'HEAD' ? undefined : BODY)
  })
}

const REFUSED = 'AuthorizationPermissionMismatch'
const BODY = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${REFUSED}</Code><Message>This request is not authorized to perform this operation using this permission.</Message></Error>`

/** Returns the path without the account, which is the first part of the path here. */
function pathOf({ url = '/', headers }: IncomingMessage): string {
  // With an account that is reached by its own name, the account is in the host, not in the path.
  const isByName = !/^(?:127\.0\.0\.1|localhost|\[)/.test(headers.host ?? '')
  return isByName ? url : url.replace(/^\/[^/?]*/, '') || '/'
}

function principalOf({ headers }: IncomingMessage): string | undefined {
  const [, payload] = /^Bearer [^.]+\.([^.]+)\./i.exec(headers.authorization ?? '') ?? []
  if (payload === undefined) return undefined
  const { oid }: { readonly oid?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return typeof oid === 'string' ? oid : ''
}
