import pRetry from 'p-retry'
import { Agent, request } from 'undici'
import { defined } from '../../base/defined.ts'
import { createTurnstile, type Rank } from '../../base/turnstile.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import { faultOf, isSuccess, type KubeAnswer } from './kubeStatus.ts'

export type KubeServer = {
  /** `https://host[:port]`. */
  readonly server: string
  /** Base64 of the PEM of the cluster's authority; undefined: the authorities this process trusts anyway. */
  readonly caBundle: string | undefined
  readonly token: () => Promise<string>
  readonly clock: Clock
  readonly retry?: RetryPolicy
}

/** Attempts beyond the first, and the shortest wait before one. */
export type RetryPolicy = { readonly retries: number; readonly firstMs: number }

export type KubeCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: { readonly [name: string]: string | undefined }
  readonly body?: unknown
  readonly contentType?: string
  /** One of `RANK`: before or behind other calls that wait for their turn. Default: `RANK.other`. */
  readonly rank?: Rank
  /** Statuses that are an answer to this call though others would call them trouble. */
  readonly answers?: (answer: KubeAnswer) => boolean
}

/** Sends one call, again while the server is busy or the connection breaks. Every other answer is handed to the caller. */
export type KubeTransport = (call: KubeCall, signal: AbortSignal) => Promise<KubeAnswer>

const RETRY: RetryPolicy = { retries: 4, firstMs: 100 }
const MOST_WAIT_MS = 5_000
const MOST_TOLD = 300
const REQUEST_TIMEOUT_MS = 30_000
/** Below the four minutes after which Azure's load balancer forgets an idle connection. */
const KEEP_ALIVE_MS = 120_000
/** Of one process, so connections too. API servers take some hundreds from everybody together. */
const MOST_CALLS_AT_ONCE = 32

/**
 * Requests of the HTTP client by themselves. The generated classes of the Kubernetes client cost 100 ms more of each cold start and 20 MiB, and turn the
 * JSON that `wire` parses into classes that drop what they do not know; its request layer is made of `fetch`, whose streams take twice the processor time.
 */
export function createKubeTransport(options: KubeServer): KubeTransport {
  const { clock } = options
  const ca = options.caBundle === undefined ? {} : { ca: Buffer.from(options.caBundle, 'base64').toString('utf8') }
  const dispatcher = new Agent({
    connect: ca,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
  })
  const retry = options.retry ?? RETRY
  const turn = createTurnstile(MOST_CALLS_AT_ONCE)
  let quietUntil = 0

  /** A server that asked one call to wait is left alone by all of them. */
  async function untilWelcome(signal: AbortSignal): Promise<void> {
    const wait = quietUntil - clock.now()
    if (wait > 0) await clock.sleep(wait, signal)
  }

  async function sendOnce(call: KubeCall, signal: AbortSignal): Promise<KubeAnswer> {
    const hasBody = call.body !== undefined
    const { statusCode, headers, body } = await request(urlOf(options.server, call), {
      method: call.method,
      headers: {
        authorization: `Bearer ${await options.token()}`,
        accept: 'application/json',
        'user-agent': 'joiner',
        ...(hasBody ? { 'content-type': call.contentType ?? 'application/json' } : {}),
      },
      ...(hasBody ? { body: JSON.stringify(call.body) } : {}),
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
    const text = await body.text()
    const retryAfterMs = retryAfterOf(textOf(headers['retry-after']), clock.now())
    return understood({ status: statusCode, json: undefined, ...defined({ retryAfterMs }) }, text, call)
  }

  async function attempt(call: KubeCall, signal: AbortSignal): Promise<KubeAnswer> {
    await untilWelcome(signal)
    const answer = await turn(() => sendOnce(call, signal), call.rank).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof Fault) throw error
      throw new Fault(`${call.method} ${call.path}`, problem('KUBE.FAILED', 'the API server cannot be reached'), error)
    })
    if (!isBusy(answer) || call.answers?.(answer)) return answer
    quietUntil = Math.max(quietUntil, clock.now() + Math.min(answer.retryAfterMs ?? 0, MOST_WAIT_MS))
    throw busyFault(answer, call)
  }

  return (call, signal) =>
    pRetry(() => attempt(call, signal), {
      retries: retry.retries,
      minTimeout: retry.firstMs,
      maxTimeout: MOST_WAIT_MS,
      randomize: true,
      signal,
    })
}

function isBusy({ status }: KubeAnswer): boolean {
  return status === 429 || status >= 500
}

function busyFault(answer: KubeAnswer, call: KubeCall): Fault {
  const fault = faultOf(answer, call.method.toLowerCase(), call.path)
  const { retryAfterMs } = answer
  return retryAfterMs === undefined ? fault : new Fault(fault.operation, { ...fault.problem, retryAfterMs })
}

function urlOf(server: string, { path, query }: KubeCall): string {
  const url = new URL(path, server)
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

/**
 * A refusal may come from a proxy and say anything. A success must be the API server's own: a page that asks to sign in says 200 too, and
 * would pass for an empty list, or for an object that was deleted.
 */
function understood(answer: KubeAnswer, text: string, call: KubeCall): KubeAnswer {
  try {
    return { ...answer, json: JSON.parse(text) }
  } catch {
    if (!isSuccess(answer)) return { ...answer, json: { message: text.slice(0, MOST_TOLD) } }
    const what = `the API server answered ${answer.status} with what is not JSON; see what stands between: ${text.slice(0, MOST_TOLD)}`
    throw new Fault(`${call.method.toLowerCase()} ${call.path}`, problem('KUBE.FAILED', what))
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/** Seconds, or a date. */
function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined
}
