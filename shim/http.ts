import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault, problem } from '../shared/model/problem.ts'
import { textOf } from './log.ts'
import { nodeHttp, nodeHttps } from './nodeHttp.ts'

/**
 * A request to Node's own HTTP client. `fetch` would cost about 15 MiB more of resident memory in every shim, and would copy the chunks of a stream.
 */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  readonly options?: ConnectionOptions
  /** Longest silence on the connection, in milliseconds. 30,000 if undefined. */
  readonly silenceMs?: number
}

/** How to reach a server and be let in. The agent holds the certificates. */
export type ConnectionOptions = { readonly agent?: Agent; readonly auth?: string; readonly headers?: OutgoingHttpHeaders }

export type HttpAnswer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

/** Sends the request and reads the whole answer. Throws a Fault if the connection breaks. Every status is an answer. */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await open(request, signal)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response, request) }
}

/** Sends the request. Resolves as soon as the head of the response has arrived. */
export function open(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const make = request.url.protocol === 'https:' ? nodeHttps.request : nodeHttp.request
  const headers: OutgoingHttpHeaders = { ...request.options?.headers, ...request.headers }
  if (request.body !== undefined) headers['content-length'] = Buffer.byteLength(request.body)
  const outgoing = make(request.url, { ...request.options, method: request.method, headers, signal }, resolve)
  outgoing.setTimeout(request.silenceMs ?? 30_000, () =>
    outgoing.destroy(new Fault(nameOf(request), problem('NETWORK.FAILED', 'no answer in time'))),
  )
  outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000))
  outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : faultOf(request, error)))
  outgoing.end(request.body)
  return promise
}

export async function readText(response: IncomingMessage, request: HttpRequest): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of decoded(response)) chunks.push(chunk)
  } catch (error) {
    throw faultOf(request, error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the `retry-after` header in milliseconds; the header holds seconds or a date. Undefined if there is no header, or no time left to wait. */
export function retryAfterMs(headers: IncomingMessage['headers'], now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(wait) && wait > 0 ? wait : undefined
}

/** Returns the chunks of a response as they come. */
export function chunksOf(response: IncomingMessage): AsyncIterable<Buffer> {
  return decoded(response)
}

function decoded(response: IncomingMessage): Readable {
  return response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response
}

function faultOf(request: HttpRequest, error: unknown): Fault {
  return new Fault(nameOf(request), problem('NETWORK.FAILED', textOf(error)), error)
}

function nameOf(request: HttpRequest): string {
  return `${request.method.toLowerCase()} ${request.url.origin}${request.url.pathname}`
}
