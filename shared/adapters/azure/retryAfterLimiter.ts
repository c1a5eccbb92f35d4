import { parsedJson } from '../../base/parsedJson.ts'
import { retryAfterOf } from './retryAfter.ts'

/** Longer waits are thrown to the caller. An invocation has a minute for all its work, and the client would spend it asleep. */
const LONGEST_WAIT_MS = 5_000

/** The parts of the requests and responses of the SDK that are needed here. Its own types would import its packages. */
export type SentRequest = { readonly method: string; readonly url: string }
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

/**
 * Sends calls, and keeps the waits that Azure asks for. A long wait is thrown as an error to the caller. Until the wait is over, calls of the same
 * kind are refused here and are not sent. Azure counts calls by subscription, region, provider, type and kind of call. A URL does not name the
 * region, so all clients of one `RetryAfterLimiter` must work in one region.
 */
export function createRetryAfterLimiter(now: () => number) {
  const quiet = new Map<string, { readonly wait: RetryAfterError; readonly until: number }>()
  return async <Request extends SentRequest, Response extends GivenResponse>(
    request: Request,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    const kind = kindOf(request)
    const key = `${subscriptionOf(request)} ${kind}`
    const asked = quiet.get(key)
    if (asked !== undefined && asked.until > now()) {
      const { statusCode, details } = asked.wait
      throw new RetryAfterError(kind, { statusCode, details, retryAfterMs: asked.until - now() })
    }
    quiet.delete(key)
    const response = await next(request)
    const retryAfterMs = isBusy(response) ? retryAfterOf(response.headers, now()) : undefined
    if (retryAfterMs === undefined || retryAfterMs <= LONGEST_WAIT_MS) return response
    const wait = new RetryAfterError(kind, { statusCode: response.status, details: parsedJson(response.bodyAsText), retryAfterMs })
    quiet.set(key, { wait, until: now() + retryAfterMs })
    throw wait
  }
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
