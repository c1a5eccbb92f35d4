import { textOf } from '../../shared/base/result.ts'
import { defined } from '../../shared/base/values.ts'
import { chunksOf, type HttpAnswer, type HttpRequest, open, readText, retryAfterMs } from '../../shared/kubeclient/http.ts'
import type { Clock } from '../clock.ts'
import { createOutsideAgent, type OutsideProxy } from '../outsideAgent.ts'
import { trustedJson } from '../trustedJson.ts'
import { type AnswerEnd, LINES, readAnswerStream } from './answerStream.ts'
import { type Packed, packed } from './packing.ts'
import type { AppTokenSource } from './projectedToken.ts'

export type Rejection = { readonly seq: number; readonly code: string; readonly message: string }

/** The app's answer to one envelope. */
export type PostOutcome =
  | {
      readonly kind: 'accepted'
      readonly rejected: readonly Rejection[]
      readonly sendSnapshot: string | undefined
      /** The lists of kept paths of the app, if they are later than those of the post. */
      readonly kept?: unknown
      readonly bytes: number
      /** How the answer ends. The app keeps it open while it works. Undefined: the answer was complete at once. */
      readonly end?: Promise<AnswerEnd>
    }
  /** The app will never take this body. */
  | { readonly kind: 'malformed'; readonly code: string; readonly message: string }
  | { readonly kind: 'tooLarge'; readonly message: string }
  /** The term of this shim is over: the app follows a later term. */
  | { readonly kind: 'outdated'; readonly newestTerm: number; readonly message: string }
  /** The app takes nothing until somebody changes keys, roles or the cluster list. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly message: string; readonly retryAfterMs?: number }

/** Posts one envelope once. Never throws, except when the signal aborts. */
export type PostEnvelope = (json: string, signal: AbortSignal) => Promise<PostOutcome>

export type AppEndpoint = {
  readonly endpoint: URL
  readonly cluster: string
  readonly functionKey: () => string | undefined
  readonly tokens: AppTokenSource | undefined
  readonly proxy: OutsideProxy
}

export function createPostEnvelope(app: AppEndpoint, clock: Clock): PostEnvelope {
  const url = new URL(`${app.endpoint.href.replace(/\/$/, '')}/api/clusters/${app.cluster}/events`)
  const agent = createOutsideAgent(url, app.proxy)
  /** An app that has taken a post of this form has the dictionary. An older app says why it takes none, if it can read the post. */
  let encoding: Packed['encoding'] = 'gzip'

  async function once(json: string, signal: AbortSignal): Promise<PostOutcome> {
    try {
      const { body, ...packing } = await packed(json, encoding)
      const key = app.functionKey()
      const token = await app.tokens?.token(signal)
      const headers = defined({
        accept: `${LINES}, application/json`,
        'content-type': 'application/json',
        'content-encoding': packing.encoding,
        'x-functions-key': key,
        authorization: token && `Bearer ${token.token}`,
      })
      const answer = await ask({ method: 'POST', url, headers, body, options: { agent } }, signal)
      if (answer.status === 401) app.tokens?.forget()
      const outcome = outcomeOf(answer.status, answer.text, body.length, retryAfterMs(answer.headers, clock.now()))
      return outcome.kind === 'accepted' ? { ...outcome, ...defined({ end: answer.end }) } : outcome
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'failed', status: undefined, message: textOf(error) }
    }
  }

  return async (json, signal) => {
    const before = encoding
    const outcome = await once(json, signal)
    if (outcome.kind === 'accepted') encoding = 'deflate'
    if (outcome.kind !== 'malformed' || before === 'gzip') return outcome
    encoding = 'gzip'
    return once(json, signal)
  }
}

/** Sends the request. Resolves with the whole answer, or with the first line of an answer in lines. */
async function ask(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer & { readonly end?: Promise<AnswerEnd> }> {
  const response = await open(request, signal)
  const head = { status: response.statusCode ?? 0, headers: response.headers }
  if (response.headers['content-type']?.startsWith(LINES) !== true) return { ...head, text: await readText(response, request) }
  const { first, end } = await readAnswerStream(chunksOf(response))
  return { ...head, text: first, end }
}

function outcomeOf(status: number, text: string, bytes: number, retryAfter: number | undefined): PostOutcome {
  const answer = readAnswer(text)
  const message = answer.message ?? text.slice(0, 300)
  if (status >= 200 && status < 300) {
    const { sendSnapshot, kept } = answer
    return { kind: 'accepted', rejected: rejectionsOf(answer), sendSnapshot, bytes, ...defined({ kept }) }
  }
  if (status === 413) return { kind: 'tooLarge', message }
  const code = answer.code ?? 'INPUT.INVALID'
  const newestTerm = newestTermOf(answer)
  if (newestTerm !== undefined) return { kind: 'outdated', newestTerm, message }
  if (OF_BODY.has(status) && !WHOLE_SHIM.has(code)) return { kind: 'malformed', code, message }
  if (REFUSED.has(status)) return { kind: 'refused', status, message }
  return { kind: 'failed', status, message, ...defined({ retryAfterMs: retryAfter }) }
}

function newestTermOf({ code, fields }: AnswerJson): number | undefined {
  return code === 'INPUT.OLD_TERM' ? fields?.newestTerm : undefined
}

function rejectionsOf({ rejected = [] }: AnswerJson): readonly Rejection[] {
  return rejected.map(({ seq, problem }) => ({ seq, code: problem?.code ?? 'unknown', message: problem?.message ?? '' }))
}

const OF_BODY: ReadonlySet<number> = new Set([400, 422])
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 422])

/** Codes of problems that no other body would avoid. */
const WHOLE_SHIM: ReadonlySet<string> = new Set(['INPUT.UNKNOWN_CLUSTER', 'INPUT.UNSUPPORTED_VERSION'])

type AnswerJson = {
  readonly kept?: unknown
  readonly rejected?: readonly { readonly seq: number; readonly problem?: { readonly code?: string; readonly message?: string } }[]
  readonly sendSnapshot?: string
  readonly code?: string
  readonly message?: string
  readonly fields?: { readonly newestTerm?: number }
}

/** Returns the app's own answer. Empty if a proxy answered in its place. */
function readAnswer(text: string): AnswerJson {
  try {
    const json = trustedJson<AnswerJson | []>(text)
    return json === null || Array.isArray(json) || typeof json !== 'object' ? {} : json
  } catch {
    return {}
  }
}
