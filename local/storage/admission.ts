import type { IncomingMessage, Server } from 'node:http'
import { type DataNeed, dataNeed, type StorageRequest } from './dataNeeds.ts'

/** Who asks for what: `principalId` is the object id in the token. Answers whether he may. */
export type Judge = (principalId: string, need: DataNeed | undefined, request: StorageRequest) => boolean

/**
 * Has each request that comes with a token judged before the server sees it, and refuses as storage does. One that is signed with the key of the
 * account may do everything, as in Azure. Whether the token is genuine the server looks at by itself.
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

/** Without the account, which is the first part of the path here. */
function pathOf({ url = '/', headers }: IncomingMessage): string {
  // An account that is reached by its own name has it in the host, and not in the path.
  const isByName = !/^(?:127\.0\.0\.1|localhost|\[)/.test(headers.host ?? '')
  return isByName ? url : url.replace(/^\/[^/?]*/, '') || '/'
}

function principalOf({ headers }: IncomingMessage): string | undefined {
  const [, payload] = /^Bearer [^.]+\.([^.]+)\./i.exec(headers.authorization ?? '') ?? []
  if (payload === undefined) return undefined
  const { oid }: { readonly oid?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return typeof oid === 'string' ? oid : ''
}
