import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { textOf } from '../base/result.ts'
import { Fault, problem } from '../model/problem.ts'

/**
 * Node's HTTP modules. An `import` of `node:http` reads all members of the module, and thereby loads WebSocket and fetch code, 9 MiB in every shim.
 * `getBuiltinModule` does not.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
export const nodeHttps = process.getBuiltinModule('node:https')

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

/** How to reach a server and be let in. `agent: false` opens a connection for one request. */
export type ConnectionOptions = Readonly<
  Pick<RequestOptions, 'agent' | 'auth' | 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername' | 'hostname' | 'port'>
> & { readonly headers?: OutgoingHttpHeaders }

export type HttpAnswer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

/**
 * Sends the request and reads the whole answer. Throws a Fault if the connection breaks, with the field `isStale` if it was a kept connection that
 * broke before an answer: the server has probably closed it before the request came. Every status is an answer.
 */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await open(request, signal)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response, request) }
}

/** The default silence, and the longest time to connect: a connection of a watch, which may be silent for long, is made as fast as any other. */
const SILENCE_MS = 30_000

/** Sends the request. Resolves as soon as the head of the response has arrived. */
export function open(request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { silenceMs = SILENCE_MS } = request
  const make = request.url.protocol === 'https:' ? nodeHttps.request : nodeHttp.request
  const headers: OutgoingHttpHeaders = { ...request.options?.headers, ...request.headers }
  if (request.body !== undefined) headers['content-length'] = Buffer.byteLength(request.body)
  let answered: IncomingMessage | undefined
  const outgoing = make(
    request.url,
    { ...request.options, method: request.method, headers, signal, timeout: Math.min(silenceMs, SILENCE_MS) },
    (response) => {
      answered = response
      resolve(response)
    },
  )
  // Counts from when there is a connection. Until then, the option `timeout` counts, also while a proxy makes the tunnel.
  outgoing.setTimeout(silenceMs, () => {
    const silent = new Fault(nameOf(request), problem('NETWORK.FAILED', 'no answer in time'))
    // The reader of the answer gets the fault. By the request alone it would learn only that somebody aborted it.
    answered?.destroy(silent)
    outgoing.destroy(silent)
  })
  outgoing.on('socket', (socket) => {
    if (!outgoing.reusedSocket) socket.setKeepAlive(true, 30_000)
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    reject(signal.aborted ? signal.reason : faultOf(request, error, isStale))
  })
  outgoing.end(request.body)
  return orAborted(promise, signal)
}

/** The promise, or the reason of the signal as soon as that aborts. For work that does not watch the signal, as Node while it has no connection. */
export function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
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

/** The longest wait that a server is granted. More comes of a wrong clock on either side, and would stop the work for as long. */
const MOST_RETRY_AFTER_MS = 600_000

/**
 * Returns the `retry-after` header in milliseconds, at most ten minutes; the header holds seconds or a date. Undefined if there is no header, or no time
 * left to wait.
 */
export function retryAfterMs(headers: IncomingMessage['headers'], now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, MOST_RETRY_AFTER_MS) : undefined
}

/** Returns the chunks of a response as they come. */
export function chunksOf(response: IncomingMessage): AsyncIterable<Buffer> {
  return decoded(response)
}

function decoded(response: IncomingMessage): Readable {
  return response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response
}

function faultOf(request: HttpRequest, error: unknown, isStale = false): Fault {
  if (error instanceof Fault) return error
  return new Fault(nameOf(request), problem('NETWORK.FAILED', textOf(error), isStale ? { fields: { isStale } } : {}), error)
}

function nameOf(request: HttpRequest): string {
  return `${request.method.toLowerCase()} ${request.url.origin}${request.url.pathname}`
}
