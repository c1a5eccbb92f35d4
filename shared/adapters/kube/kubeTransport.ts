import pRetry from 'p-retry'
import { createConcurrencyLimiter, type Rank } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import { askKube, type KubeCall as Call } from '../../kubeclient/client.ts'
import { bearer, connectTo } from '../../kubeclient/connection.ts'
import { faultOf, type KubeAnswer } from '../../kubeclient/status.ts'
import { Fault } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'

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

export type KubeCall = Call & {
  /** One of `RANK`: the priority among calls that wait for their turn. Default: `RANK.other`. */
  readonly rank?: Rank
  /** Reports whether an answer with status 429 or 5xx is a valid answer to this call. Absent: such an answer is retried. */
  readonly answers?: (answer: KubeAnswer) => boolean
}

/** Sends a call, and retries while the server is busy or the connection breaks. Returns every other answer. */
export type KubeTransport = (call: KubeCall, signal: AbortSignal) => Promise<KubeAnswer>

const RETRY: RetryPolicy = { retries: 4, firstMs: 100 }
const MOST_WAIT_MS = 5_000
const REQUEST_TIMEOUT_MS = 30_000
/** Shorter than the four minutes after which Azure's load balancer drops an idle connection. */
const KEEP_ALIVE_MS = 120_000
/** The most concurrent calls of one process, which limits its connections as well. API servers serve some hundreds from all clients together. */
const MOST_CALLS_AT_ONCE = 64

/** The client of API servers with a bounded number of calls at a time, the waits that the server asks for, and retries. */
export function createKubeTransport(options: KubeServer): KubeTransport {
  const { server, caBundle, clock, retry = RETRY } = options
  const ca = caBundle === undefined ? {} : { ca: Buffer.from(caBundle, 'base64').toString('utf8') }
  const connection = connectTo({ server, ...ca, idleMs: KEEP_ALIVE_MS }, bearer(options.token))
  const turn = createConcurrencyLimiter(MOST_CALLS_AT_ONCE)
  let quietUntil = 0

  /** Waits until the time is over for which the server asked any call to wait. All calls keep that wait. */
  async function untilWelcome(signal: AbortSignal): Promise<void> {
    const wait = quietUntil - clock.now()
    if (wait > 0) await clock.sleep(wait, signal)
  }

  async function attempt(call: KubeCall, signal: AbortSignal): Promise<KubeAnswer> {
    await untilWelcome(signal)
    const answer = await turn(() => askKube(connection, { ...call, timeoutMs: REQUEST_TIMEOUT_MS }, signal), call.rank)
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
  return new Fault(fault.operation, { ...fault.problem, ...defined({ retryAfterMs: answer.retryAfterMs }) })
}
