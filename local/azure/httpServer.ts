import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'

export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** The body as it came. Undefined where a test makes the request. */
  readonly bytes?: Buffer
}

/** An answer. With `drop`, the connection is cut without an answer. */
export type HttpAnswer = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } | 'drop'

export interface RunningServer {
  /** Without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

export type Respond = (request: HttpRequest) => Promise<HttpAnswer> | HttpAnswer

/** Serves on the given port, or a free one, of the loopback address. Bodies that are not text are sent as JSON. */
export async function serve(
  respond: Respond,
  options: { readonly tls?: { readonly certificate: string; readonly key: string }; readonly port?: number },
): Promise<RunningServer> {
  let base = ''
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    answer(incoming, outgoing, respond, base).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ error: { code: 'InternalServerError', message: String(error) } }))
    })
  }
  const server =
    options.tls === undefined
      ? createHttpServer(listener)
      : createHttpsServer({ cert: options.tls.certificate, key: options.tls.key }, listener)
  const port = await listening(server, options.port ?? 0)
  base = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return { url: base, close: () => closed(server) }
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, respond: Respond, base: string): Promise<void> {
  const bytes = await buffer(incoming)
  const reply = await respond({
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', base),
    headers: incoming.headers,
    body: bytes.toString('utf8'),
    bytes,
  })
  if (reply === 'drop') {
    incoming.socket.destroy()
    return
  }
  const isText = typeof reply.body === 'string'
  const content = reply.body === undefined ? '' : isText ? String(reply.body) : JSON.stringify(reply.body)
  outgoing.writeHead(reply.status, {
    ...(content === '' || isText ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...reply.headers,
  })
  outgoing.end(content)
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('a TCP server has no port'))
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
