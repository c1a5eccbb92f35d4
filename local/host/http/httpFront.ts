import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { HostError } from '../base/hostError.ts'
import { type HostLog, messageOf } from '../base/hostLog.ts'

/** The connection of a request, for answers that are written while the function runs. */
export type HttpClient = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }

export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  /** Reads the whole body. Rejects if it is too large. */
  readonly readBody: () => Promise<Buffer>
  readonly client: HttpClient
}

export type HttpAnswer = {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
}

export type HttpFront = {
  readonly url: string
  /** Takes no new connection from now on. Connections with a request go on. */
  refuse(): void
  /** Cuts all connections. Resolves once none is open. */
  cut(): Promise<void>
}

export type HttpFrontOptions = {
  readonly port: number
  readonly maxBodyBytes: number
  readonly log: HostLog
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>
}

export async function startHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const server = createServer((request, response) => void serve(options, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new HostError(`cannot listen on port ${options.port} of 127.0.0.1: ${messageOf(cause)}`)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new HostError('the HTTP front listens on no port')
  const closed = Promise.withResolvers<void>()
  return {
    url: `http://127.0.0.1:${address.port}`,
    refuse: () => void server.close(() => closed.resolve()),
    cut: () => {
      server.closeAllConnections()
      return closed.promise
    },
  }
}

export function jsonAnswer(status: number, value: unknown): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function serve(options: HttpFrontOptions, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let answer: HttpAnswer
  try {
    answer = await options.answer({
      method: incoming.method ?? 'GET',
      url: new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`),
      headers: incoming.headers,
      readBody: () => readBody(incoming, options.maxBodyBytes),
      client: { incoming, outgoing },
    })
  } catch (error) {
    options.log('error', 'Host.Http', `${incoming.method} ${incoming.url?.split('?')[0]}: ${messageOf(error)}`)
    answer = { status: 500 }
  }
  if (outgoing.destroyed || outgoing.headersSent) return
  outgoing.writeHead(answer.status, { ...answer.headers })
  outgoing.end(incoming.method === 'HEAD' ? undefined : answer.body)
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new HostError(`the body is larger than ${maxBytes} bytes`)
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // a body that is not read to its end must not end the connection, which still has to carry the answer
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
