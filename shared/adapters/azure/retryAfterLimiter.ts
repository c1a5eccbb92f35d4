import type { ConcurrencyLimiter } from '../../base/concurrencyLimiter.ts'
import { parsedJson } from '../../base/parsedJson.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import { retryAfterOf } from './retryAfter.ts'

/** Longer waits are thrown to the caller. An invocation has a minute for all its work, and the client would spend it asleep. */
const LONGEST_WAIT_MS = 5_000

/** The parts of the requests and responses of the SDK that are needed here. Its own types would import its packages. */
export type SentRequest = { readonly method: string; readonly url: string; readonly abortSignal?: object | undefined }
export type GivenResponse = {
  readonly status: number
  readonly headers: { get(name: string): string | undefined }
  readonly bodyAsText?: string | null
}

/**
 * The error of a call for which Azure asked for a long wait, with Azure's response. The SDK does not retry it, because it only retries its own
 * request errors. `armFailure` reads it like the errors of the SDK.
 */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError'
  readonly statusCode: number
  readonly details: unknown
  readonly retryAfterMs: number

  constructor(what: string, answer: Pick<RetryAfterError, 'statusCode' | 'details' | 'retryAfterMs'>) {
    super(`${what}: azure asks to wait ${Math.ceil(answer.retryAfterMs / 1_000)} s`)
    this.statusCode = answer.statusCode
    this.details = answer.details
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** Keeps the waits that Azure asks for. Clients of several clusters may share one. */
export type RetryAfterLimiter = ReturnType<typeof createRetryAfterLimiter>

/** A wait that Azure asked for. `error`: a long wait, with which calls end. Without it, calls wait. */
type Pause = { readonly until: number; readonly error?: RetryAfterError }

/**
 * Sends calls, and keeps the waits that Azure asks for. A long wait is thrown as an error to the caller. Until a wait is over, no call of the same
 * kind is sent: in a long one it is refused here, in a short one it waits. Azure counts calls by subscription, region, provider, type and kind of
 * call. A URL does not name the region, so all clients of one `RetryAfterLimiter` must work in one region.
 */
export function createRetryAfterLimiter({ now, sleep }: Clock) {
  const pauses = new Map<string, Pause>()

  function pauseOf(key: string): Pause | undefined {
    const pause = pauses.get(key)
    if (pause === undefined || pause.until > now()) return pause
    pauses.delete(key)
    return undefined
  }

  /** Waits until no pause holds the call. Throws in a long pause. */
  async function untilFree(key: string, kind: string, signal: AbortSignalLike): Promise<void> {
    for (let pause = pauseOf(key); pause !== undefined; pause = pauseOf(key)) {
      const left = pause.until - now()
      if (pause.error !== undefined) throw again(kind, pause.error, left)
      await sleep(left, signal)
      if (pauses.get(key) === pause) pauses.delete(key)
    }
  }

  /** `turn`: the place among the calls that run at a time. A call that waits has none. */
  return async <Request extends SentRequest, Response extends GivenResponse>(
    request: Request,
    next: (request: Request) => Promise<Response>,
    turn: ConcurrencyLimiter = (work) => work(),
  ): Promise<Response> => {
    const kind = kindOf(request)
    const key = `${subscriptionOf(request)} ${kind}`
    for (;;) {
      await untilFree(key, kind, signalOf(request))
      const response = await turn(() => (pauseOf(key) === undefined ? next(request) : Promise.resolve(undefined)))
      // Azure asked for a wait while the call waited for its turn.
      if (response === undefined) continue
      const retryAfterMs = isBusy(response) ? retryAfterOf(response.headers, now()) : undefined
      if (retryAfterMs === undefined) return response
      const until = now() + retryAfterMs
      if (retryAfterMs <= LONGEST_WAIT_MS) {
        pauses.set(key, { until })
        return response
      }
      const error = new RetryAfterError(kind, { statusCode: response.status, details: parsedJson(response.bodyAsText), retryAfterMs })
      pauses.set(key, { until, error })
      throw error
    }
  }
}

const NEVER = new AbortController().signal

/** A signal of another kind does not end a wait, which is short. */
function signalOf({ abortSignal }: SentRequest): AbortSignalLike {
  return abortSignal instanceof AbortSignal ? abortSignal : NEVER
}

function again(kind: string, { statusCode, details }: RetryAfterError, retryAfterMs: number): RetryAfterError {
  return new RetryAfterError(kind, { statusCode, details, retryAfterMs })
}

function isBusy({ status }: GivenResponse): boolean {
  return status === 429 || status === 503
}

function subscriptionOf({ url }: SentRequest): string {
  const [, subscription = ''] = /\/subscriptions\/([^/?]+)/i.exec(url) ?? []
  return subscription.toLowerCase()
}

/** The kind of a call, for example `PUT microsoft.compute/virtualmachines`. */
function kindOf({ method, url }: SentRequest): string {
  const [, resource] = /\/providers\/([^/]+\/(?:locations\/[^/]+\/)?[^/?]+)/i.exec(new URL(url).pathname) ?? []
  return `${method} ${(resource ?? 'subscription').toLowerCase()}`
}
