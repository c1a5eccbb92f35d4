import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { HostError } from '../base/hostError.ts'
import { type HostLog, messageOf } from '../base/hostLog.ts'

/** A request with its whole body. */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  /** Undefined if the request has no body or no content-length. In both cases the platform passes no body to the function. */
  readonly body: Buffer | undefined
}

export type HttpAnswer = {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
}

export type HttpFront = { readonly url: string; close(): Promise<void> }

export type HttpFrontOptions = {
  readonly port: number
  readonly maxBodyBytes: number
  readonly log: HostLog
  readonly answer: (request: HttpRequest) => Promise<HttpAnswer>
}

const CLOSE_MS = 2_000

export async function startHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const server = createServer((request, response) => void serve(options, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new HostError(`cannot listen on port ${options.port} of 127.0.0.1: ${messageOf(cause)}`)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new HostError('the HTTP front listens on no port')
  return { url: `http://127.0.0.1:${address.port}`, close: () => close(server) }
}

export function jsonAnswer(status: number, value: unknown): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function serve(options: HttpFrontOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let answer: HttpAnswer
  try {
    const body = await readBody(request, options.maxBodyBytes)
    if (body === 'too large') answer = { status: 413, headers: { connection: 'close' } }
    else answer = await options.answer(requestOf(request, body, options.log))
  } catch (error) {
    options.log('error', 'Host.Http', `${request.method} ${request.url?.split('?')[0]}: ${messageOf(error)}`)
    answer = { status: 500 }
  }
  if (response.destroyed) return
  response.writeHead(answer.status, { ...answer.headers })
  response.end(request.method === 'HEAD' ? undefined : answer.body)
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too large'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too large'
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function requestOf(request: IncomingMessage, body: Buffer, log: HostLog): HttpRequest {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`)
  const hasLength = Number(request.headers['content-length'] ?? 0) > 0
  if (body.length > 0 && !hasLength)
    log(
      'warning',
      'Host.Http',
      `${request.method} ${url.pathname}: the body came without content-length; the platform hands it to no function`,
    )
  return { method: request.method ?? 'GET', url, headers: request.headers, body: hasLength ? body : undefined }
}

/** Closes idle connections at once. Connections in use get a moment to finish. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
    server.close(() => {
      clearTimeout(impatience)
      resolve()
    })
    server.closeIdleConnections()
  })
}
