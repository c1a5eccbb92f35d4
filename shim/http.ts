import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault, problem } from '../shared/model/problem.ts'
import { textOf } from './log.ts'
import { nodeHttp, nodeHttps } from './nodeHttp.ts'

/**
 * Node's own client instead of `fetch`: the difference is about 15 MiB of resident memory in every shim, and a stream
 * whose chunks nobody copies.
 */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  readonly options?: ConnectionOptions
  /** Longest silence on the connection. */
  readonly silenceMs?: number
}

/** How to reach a server and be let in: the agent has the certificates. */
export type ConnectionOptions = { readonly agent?: Agent; readonly auth?: string; readonly headers?: OutgoingHttpHeaders }

export type HttpAnswer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

/** Sends and reads the whole answer. A broken connection is a Fault; every status is an answer. */
export async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await open(request, signal)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response, request) }
}

/** Sends and answers as soon as the head of the response is there. */
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

/** `retry-after` in milliseconds: seconds or a date. */
export function retryAfterMs(headers: IncomingMessage['headers'], now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(wait) && wait > 0 ? wait : undefined
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
