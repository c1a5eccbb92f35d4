import pRetry from 'p-retry'
import { Agent, request } from 'undici'
import { createConcurrencyLimiter, type Rank } from '../../base/concurrencyLimiter.ts'
import { defined } from '../../base/defined.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import { faultOf, isSuccess, type KubeAnswer } from './kubeStatus.ts'

export type KubeServer = {
  /** `https://host[:port]`. */
  readonly server: string
  /** The certificate authority of the cluster, as PEM in base64. Undefined: the authorities that the process trusts by default. */
  readonly caBundle: string | undefined
  readonly token: () => Promise<string>
  readonly clock: Clock
  readonly retry?: RetryPolicy
}

/** The number of retries, and the shortest wait before a retry in milliseconds. */
export type RetryPolicy = { readonly retries: number; readonly firstMs: number }

export type KubeCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: { readonly [name: string]: string | undefined }
  readonly body?: unknown
  readonly contentType?: string
  /** One of `RANK`: the priority among calls that wait for their turn. Default: `RANK.other`. */
  readonly rank?: Rank
  /** Reports whether an answer with status 429 or 5xx is a valid answer to this call. Absent: such an answer is retried. */
  readonly answers?: (answer: KubeAnswer) => boolean
}

/** Sends a call, and retries while the server is busy or the connection breaks. Returns every other answer. */
export type KubeTransport = (call: KubeCall, signal: AbortSignal) => Promise<KubeAnswer>

const RETRY: RetryPolicy = { retries: 4, firstMs: 100 }
const MOST_WAIT_MS = 5_000
const MOST_TOLD = 300
const REQUEST_TIMEOUT_MS = 30_000
/** Shorter than the four minutes after which Azure's load balancer drops an idle connection. */
const KEEP_ALIVE_MS = 120_000
/** The most concurrent calls of one process, which limits its connections as well. API servers serve some hundreds from all clients together. */
const MOST_CALLS_AT_ONCE = 64

/**
 * A transport that uses the HTTP client directly. The generated classes of the Kubernetes client take 100 ms more of each cold start and 20 MiB, and
 * convert the JSON that `wire` parses into classes, which drop unknown fields. The request layer of that client uses `fetch`, whose streams take
 * twice the CPU time.
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
  const turn = createConcurrencyLimiter(MOST_CALLS_AT_ONCE)
  let quietUntil = 0

  /** Waits until the time is over for which the server asked any call to wait. All calls keep that wait. */
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
 * The answer with its parsed body. A refusal may come from a proxy and have any body. A success must be JSON of the API server: a sign-in page has
 * status 200, too, and would count as an empty list, or as a deleted object.
 */
function understood(answer: KubeAnswer, text: string, call: KubeCall): KubeAnswer {
  try {
    return { ...answer, json: JSON.parse(text) }
  } catch {
    if (!isSuccess(answer)) return { ...answer, json: { message: text.slice(0, MOST_TOLD) } }
    const what = `the API server answered ${answer.status} with a body that is not JSON; check proxies in front of it: ${text.slice(0, MOST_TOLD)}`
    throw new Fault(`${call.method.toLowerCase()} ${call.path}`, problem('KUBE.FAILED', what))
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/** The wait in a Retry-After header, in milliseconds. The header has seconds, or a date. */
function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined
}
