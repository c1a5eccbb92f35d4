import type { ConcurrencyLimiter } from '../../base/concurrency.ts'
import { parsedJson } from '../../base/json.ts'
import { defined, ownValue } from '../../base/values.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import { isOfBusyResource } from './busyResource.ts'
import type { GivenResponse, SentRequest } from './exchange.ts'
import { retryAfterOf } from './retryAfter.ts'
import type { SharedWaits } from './sharedWaits.ts'
import { createTokenBuckets, type Ticket } from './tokenBuckets.ts'

/** Longer waits are thrown to the caller. An invocation has a minute for all its work, and the client would spend it asleep. */
const LONGEST_WAIT_MS = 5_000

/**
 * The error of a call for which Azure asked for a long wait, with Azure's response, or that Joiner holds back itself (`isLocal`), for a limit of a
 * single machine (`isOfOneMachine`) or of more. The SDK does not retry it, because it only retries its own request errors. `armFailure` reads it like
 * the errors of the SDK.
 */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError'
  readonly statusCode: number
  readonly details: unknown
  readonly retryAfterMs: number
  readonly isLocal: boolean
  readonly isOfOneMachine: boolean

  constructor(
    what: string,
    answer: Pick<RetryAfterError, 'statusCode' | 'details' | 'retryAfterMs'>,
    { isLocal = false, isOfOneMachine = false }: Partial<Pick<RetryAfterError, 'isLocal' | 'isOfOneMachine'>> = {},
  ) {
    const seconds = Math.ceil(answer.retryAfterMs / 1_000)
    super(
      isLocal
        ? `joiner waits ${seconds} s before ${what}, so that Azure does not throttle: its published limit is used up`
        : `${what}: azure asks to wait ${seconds} s`,
    )
    this.isLocal = isLocal
    this.isOfOneMachine = isOfOneMachine
    this.statusCode = answer.statusCode
    this.details = answer.details
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** Keeps the limits of Azure, and the waits that it asks for. Clients of several clusters may share one. */
export type RetryAfterLimiter = ReturnType<typeof createRetryAfterLimiter>

/** A wait that Azure asked for. `error`: a long wait, with which calls end. Without it, calls wait. */
type Pause = { readonly until: number; readonly error?: RetryAfterError }

/** `shared`: the waits of all processes of the region. Absent: those of this process alone. */
export type RetryAfterLimiterOptions = Clock & { readonly shared?: SharedWaits | undefined }

/**
 * Sends calls within the published limits of Azure, and keeps the waits that Azure asks for. A long wait is thrown as an error to the caller. Until a
 * wait is over, no call of the same kind is sent: in a long one it is refused here, in a short one it waits. Azure counts calls by subscription,
 * region, provider, type and kind of call. A URL does not name the region, so all clients of one `RetryAfterLimiter` must work in one region.
 */
export function createRetryAfterLimiter({ now, sleep, shared }: RetryAfterLimiterOptions) {
  const pauses = createPauses({ now, sleep, shared })
  const ticketOf = createTokenBuckets(now)

  /** Waits until the tokens of the call are there. Throws if that would take too long. */
  async function untilTokens(ticket: Ticket, kind: string, signal: AbortSignalLike): Promise<void> {
    for (let waitMs = ticket.waitMs(); waitMs > 0; waitMs = ticket.waitMs()) {
      if (waitMs > LONGEST_WAIT_MS) throw heldBack(kind, ticket)
      await sleep(waitMs, signal)
    }
  }

  /** Sends the call. Undefined if a wait began, or the tokens went, while the call waited for its turn. */
  async function sendNow<Response extends GivenResponse>(call: Call, ticket: Ticket, next: () => Promise<Response>) {
    if (pauses.of(call.key) !== undefined || !ticket.take()) return undefined
    const response = await next()
    // Before the turn of the next call.
    ticket.end(response)
    return { response, ...pauses.note(call, response) }
  }

  /** `turn`: the place among the calls that run at a time. A call that waits has none. */
  return async <Request extends SentRequest, Response extends GivenResponse>(
    request: Request,
    next: (request: Request) => Promise<Response>,
    turn: ConcurrencyLimiter = (work) => work(),
  ): Promise<Response> => {
    const call = callOf(request)
    const signal = signalOf(request)
    const ticket = ticketOf(request, subscriptionOf(request))
    let sent: Awaited<ReturnType<typeof sendNow<Response>>>
    try {
      while (sent === undefined) {
        await pauses.untilFree(call, signal)
        await untilTokens(ticket, call.kind, signal)
        sent = await turn(() => sendNow(call, ticket, () => next(request)))
      }
    } catch (error) {
      ticket.end()
      throw error
    }
    if (sent.error === undefined) return sent.response
    if (sent.isOfKind) await shared?.tell(call.key, now() + sent.error.retryAfterMs, signal)
    throw sent.error
  }
}

type Call = { readonly key: string; readonly kind: string }

/** The waits that Azure asked for, by subscription and kind of call. */
function createPauses({ now, sleep, shared }: Pick<RetryAfterLimiterOptions, 'now' | 'sleep' | 'shared'>) {
  const pauses = new Map<string, Pause>()

  function pauseOf(key: string): Pause | undefined {
    const pause = pauses.get(key)
    if (pause === undefined || pause.until > now()) return pause
    pauses.delete(key)
    return undefined
  }

  /** Takes over the wait that Azure asked another process for. */
  async function hearOfOthers({ key, kind }: Call): Promise<void> {
    const until = shared === undefined ? 0 : (ownValue(await shared.known(), key) ?? 0)
    if (until <= Math.max(now(), pauses.get(key)?.until ?? 0)) return
    const error = new RetryAfterError(kind, { statusCode: 429, details: undefined, retryAfterMs: until - now() })
    pauses.set(key, { until, error })
  }

  return {
    of: pauseOf,
    /** Waits until no pause holds the call. Throws in a long pause. */
    async untilFree(call: Call, signal: AbortSignalLike): Promise<void> {
      const { key, kind } = call
      await hearOfOthers(call)
      for (let pause = pauseOf(key); pause !== undefined; pause = pauseOf(key)) {
        const left = pause.until - now()
        if (pause.error !== undefined) throw again(kind, pause.error, left)
        await sleep(left, signal)
        if (pauses.get(key) === pause) pauses.delete(key)
      }
    },
    /**
     * Keeps the wait that a response asks for. Returns the error of a long one. `isOfKind`: the wait holds for all calls of the kind. A resource that is
     * still changing makes no other call wait.
     */
    note({ key, kind }: Call, response: GivenResponse): { readonly error?: RetryAfterError; readonly isOfKind?: boolean } {
      const retryAfterMs = isBusy(response) ? retryAfterOf(response.headers, now()) : undefined
      if (retryAfterMs === undefined) return {}
      const isLong = retryAfterMs > LONGEST_WAIT_MS
      const answer = { statusCode: response.status, details: parsedJson(response.bodyAsText), retryAfterMs }
      const error = isLong ? new RetryAfterError(kind, answer) : undefined
      const isOfKind = !isOfBusyResource(answer.details)
      if (isOfKind) pauses.set(key, defined({ until: now() + retryAfterMs, error }))
      return defined({ error, isOfKind })
    },
  }
}

const NEVER = new AbortController().signal

/** A signal of another kind does not end a wait, which is short. */
function signalOf({ abortSignal }: SentRequest): AbortSignalLike {
  return abortSignal instanceof AbortSignal ? abortSignal : NEVER
}

function heldBack(kind: string, ticket: Ticket): RetryAfterError {
  const { waitMs, isOfOneMachine } = ticket.comeAgain()
  return new RetryAfterError(kind, { statusCode: 429, details: undefined, retryAfterMs: waitMs }, { isLocal: true, isOfOneMachine })
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

function callOf(request: SentRequest): Call {
  const kind = kindOf(request)
  return { key: `${subscriptionOf(request)} ${kind}`, kind }
}

/** The kind of a call, for example `PUT microsoft.compute/virtualmachines`. Azure counts lists apart. */
function kindOf({ method, url }: SentRequest): string {
  const [, resource, name] = /\/providers\/([^/]+\/(?:locations\/[^/]+\/)?[^/?]+)(\/[^/]+)?/i.exec(new URL(url).pathname) ?? []
  const isList = method === 'GET' && resource !== undefined && name === undefined
  return `${isList ? 'LIST' : method} ${(resource ?? 'subscription').toLowerCase()}`
}
