import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { HostClock } from '../base/hostClock.ts'
import { HostError } from '../base/hostError.ts'
import { messageOf } from '../base/hostLog.ts'
import type { HttpClient } from './httpFront.ts'

export type ForwardOptions = {
  readonly client: HttpClient
  /** Where the Functions library of the worker takes requests. */
  readonly httpUri: string
  readonly invocationId: string
  /** The whole body, if the host has read it. Undefined: the body is passed on as it arrives. */
  readonly body: Buffer | undefined
  readonly maxBodyBytes: number
  readonly clock: HostClock
  /** Aborts when the worker dies. */
  readonly worker: AbortSignal
}

/** The time without a byte in either direction after which the host cuts the connection. */
export const SILENCE_MS = 240_000

/** Headers that belong to one connection. The host passes on all others. */
const OF_ONE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host'])

/** The body is too large, which the host notices only while it passes the body on. */
export class BodyTooLarge extends HostError {}

/**
 * Passes a request on to the worker, and its response back to the client, byte by byte. Rejects if either side goes away, or if both are silent
 * for too long. The client is then cut off if it has a part of the response.
 */
export async function forward(options: ForwardOptions): Promise<void> {
  const { client, clock, worker } = options
  const over = new AbortController()
  const seen = { at: clock.now() }
  const touch = () => {
    seen.at = clock.now()
  }
  const why: { error?: Error } = {}
  const stop = (error: Error) => {
    why.error ??= error
    over.abort(why.error)
  }
  void watchSilence(clock, seen, over.signal).then((silent) => silent && stop(new HostError(`no byte for ${SILENCE_MS} ms`)))
  client.outgoing.once('close', () => client.outgoing.writableFinished || stop(new HostError('the client went away')))
  worker.addEventListener('abort', () => stop(new HostError('the worker ended')), { once: true, signal: over.signal })
  try {
    const answer = await ask(options, over.signal, touch, stop)
    client.outgoing.writeHead(answer.statusCode ?? 500, passedOn(answer))
    await pipeline(answer, touched(touch), client.outgoing, { signal: over.signal })
  } catch (error) {
    if (client.outgoing.headersSent) client.outgoing.destroy()
    throw why.error ?? new HostError(`the worker cannot be reached: ${messageOf(error)}`)
  } finally {
    over.abort()
  }
}

/** Sends the request to the worker. Resolves when the worker begins its response. */
function ask(options: ForwardOptions, signal: AbortSignal, touch: () => void, stop: (error: Error) => void): Promise<IncomingMessage> {
  const { body, client, httpUri, invocationId, maxBodyBytes } = options
  const { incoming } = client
  const target = new URL(httpUri)
  return new Promise((resolve, reject) => {
    const outgoing = openRequest({
      hostname: target.hostname,
      port: target.port,
      path: incoming.url ?? '/',
      method: incoming.method ?? 'GET',
      // a header of the client with this name stays, as on the platform
      headers: { 'x-ms-invocation-id': invocationId, ...forwarded(incoming), ...passedOn(incoming) },
      agent: false,
      signal,
    })
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    if (body !== undefined) {
      outgoing.end(body)
      return
    }
    // a failure of the request ends the response, too
    passBody(incoming, outgoing, { touch, maxBodyBytes, signal }).catch((error: unknown) => {
      stop(error instanceof BodyTooLarge ? error : new HostError(`the request broke off: ${messageOf(error)}`))
    })
  })
}

function forwarded(incoming: IncomingMessage): { readonly [name: string]: string } {
  return { 'x-forwarded-host': incoming.headers.host ?? 'localhost', 'x-forwarded-proto': 'http' }
}

function passedOn(message: IncomingMessage): { readonly [name: string]: string | string[] } {
  const headers = Object.entries(message.headers).filter(([name, value]) => value !== undefined && !OF_ONE_CONNECTION.has(name))
  return Object.fromEntries(headers.map(([name, value]) => [name, value ?? '']))
}

type Passing = { readonly touch: () => void; readonly maxBodyBytes: number; readonly signal: AbortSignal }

/** Leaves the connection of the client open when the body is too large: it still has to carry the answer. */
async function passBody(incoming: IncomingMessage, outgoing: ClientRequest, { touch, maxBodyBytes, signal }: Passing): Promise<void> {
  let bytes = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    touch()
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new BodyTooLarge(`the body is larger than ${maxBodyBytes} bytes`)
    if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal })
  }
  outgoing.end()
}

function touched(touch: () => void): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (source) {
    for await (const chunk of source) {
      touch()
      yield chunk
    }
  }
}

/** Resolves with true when no byte has passed for too long, with false when the signal aborts. */
async function watchSilence(clock: HostClock, seen: { readonly at: number }, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const leftMs = seen.at + SILENCE_MS - clock.now()
    if (leftMs <= 0) return true
    await clock.sleep(leftMs, signal)
  }
  return false
}
