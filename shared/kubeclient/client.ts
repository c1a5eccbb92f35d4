import type { IncomingMessage } from 'node:http'
import { defined } from '../base/values.ts'
import { Fault, problem } from '../model/problem.ts'
import { type ConnectionOptions, type HttpRequest, open, orAborted, readText, retryAfterMs } from './http.ts'
import { isSuccess, type KubeAnswer } from './status.ts'

/** An API server, and the way to it. */
export interface KubeConnection {
  readonly server: URL
  /** Returns agent, certificates and the current authorization. It is called for each request, so it caches. Throws if there is no credential. */
  options(): Promise<ConnectionOptions>
}

export type KubeCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Undefined values are left out. */
  readonly query?: { readonly [name: string]: string | undefined }
  readonly body?: unknown
  /** Default: `application/json`. For patches one of `PATCH`. */
  readonly contentType?: string
  /** Asks for a compressed answer. Pays for lists. */
  readonly isPacked?: boolean
  /** Longest silence on the connection, in milliseconds. Default: 30,000. */
  readonly silenceMs?: number
  /** Longest time until the whole answer is here, in milliseconds. Absent: only silence ends the call. */
  readonly timeoutMs?: number
}

/** Sends a call. Every status is an answer. Throws a Fault if no whole answer comes, and the reason of the signal if it aborts. */
export type KubeRequester = (call: KubeCall, signal: AbortSignal) => Promise<KubeAnswer>

/** The content types of patches. */
export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const

const MOST_TOLD = 300

/** A requester that sends each call once. */
export function requesterOf(connection: KubeConnection): KubeRequester {
  return (call, signal) => askKube(connection, call, signal)
}

/** Sends a call once, as `KubeRequester` says. */
export async function askKube(connection: KubeConnection, call: KubeCall, signal: AbortSignal): Promise<KubeAnswer> {
  const { timeoutMs } = call
  const bounded = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const request = await requestOf(connection, call, signal, bounded)
  try {
    const response = await open(request, bounded)
    return understood(response, await readText(response, request), call)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof Fault && error.problem.code === 'KUBE.FAILED' ? error : unreachable(call, error)
  }
}

/** Opens the answer to a call, for callers that read it as it comes. A refusal is read to its end. */
export async function openKube(
  connection: KubeConnection,
  call: KubeCall,
  signal: AbortSignal,
): Promise<{ readonly stream: IncomingMessage } | { readonly refusal: KubeAnswer }> {
  const request = await requestOf(connection, call, signal)
  try {
    const response = await open(request, signal)
    if (response.statusCode === 200) return { stream: response }
    return { refusal: understood(response, await readText(response, request), call) }
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(call, error)
  }
}

async function requestOf(connection: KubeConnection, call: KubeCall, signal: AbortSignal, bounded = signal): Promise<HttpRequest> {
  const { server } = connection
  // The path of a server behind a gateway, such as `/k8s/clusters/c-1`, comes before each path.
  const url = new URL(`${server.pathname.replace(/\/+$/, '')}${call.path}`, server)
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) url.searchParams.set(name, value)
  const hasBody = call.body !== undefined
  return {
    method: call.method,
    url,
    headers: {
      accept: 'application/json',
      'user-agent': 'joiner',
      ...(call.isPacked ? { 'accept-encoding': 'gzip' } : {}),
      ...(hasBody ? { 'content-type': call.contentType ?? 'application/json' } : {}),
    },
    options: await optionsFor(connection, call, signal, bounded),
    ...(hasBody ? { body: JSON.stringify(call.body) } : {}),
    ...defined({ silenceMs: call.silenceMs }),
  }
}

/** A Fault of a source of credentials passes: it says more than that the call failed. */
async function optionsFor(
  connection: KubeConnection,
  call: KubeCall,
  signal: AbortSignal,
  bounded: AbortSignal,
): Promise<ConnectionOptions> {
  try {
    return await orAborted(connection.options(), bounded)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof Fault ? error : unreachable(call, error)
  }
}

/** `isStale` of the cause stays visible: the caller decides whether a write may be sent again. */
function unreachable({ method, path }: KubeCall, cause: unknown): Fault {
  const isStale = cause instanceof Fault && cause.problem.fields?.['isStale'] === true
  const details = isStale ? { fields: { isStale } } : {}
  return new Fault(`${method} ${path}`, problem('KUBE.FAILED', 'the API server cannot be reached', details), cause)
}

/**
 * The answer with its parsed body. A refusal may come from a proxy and have any body. A success must be JSON of the API server: a sign-in page has
 * status 200, too, and would count as an empty list, or as a deleted object.
 */
function understood({ statusCode: status = 0, headers }: IncomingMessage, text: string, call: KubeCall): KubeAnswer {
  // A date in the header is compared with the clock of the server that wrote it.
  const answer = { status, ...defined({ retryAfterMs: retryAfterMs(headers, Date.parse(headers.date ?? '')) }) }
  try {
    return { ...answer, json: JSON.parse(text) }
  } catch {
    const told = text.slice(0, MOST_TOLD)
    if (!isSuccess({ ...answer, json: undefined })) return { ...answer, json: { message: told } }
    const what = `the API server answered ${status} with a body that is not JSON; check proxies in front of it: ${told}`
    throw new Fault(`${call.method.toLowerCase()} ${call.path}`, problem('KUBE.FAILED', what))
  }
}
