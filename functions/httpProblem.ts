import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { HttpRequest, HttpResponseInit } from '@azure/functions'
import { settle } from '../shared/base/concurrency.ts'
import { err, messageOf, ok, type Result } from '../shared/base/result.ts'
import { ownValue } from '../shared/base/values.ts'
import { Fault, type Problem, type ProblemCode, problem } from '../shared/model/problem.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import { POST_DICTIONARY } from '../shared/wire/kept/dictionary.ts'
import type { FunctionApp } from './functionApp.ts'

const STATUS: { readonly [Code in ProblemCode]?: number } = {
  'INPUT.INVALID': 400,
  'INPUT.UNSUPPORTED_VERSION': 400,
  'INPUT.UNAUTHENTICATED': 401,
  'INPUT.FORBIDDEN': 403,
  'INPUT.UNKNOWN_CLUSTER': 404,
  'INPUT.OLD_TERM': 409,
  'INPUT.TOO_LARGE': 413,
  'INPUT.TOO_MANY_QUESTIONS': 429,
  'KUBE.NOT_FOUND': 404,
  'CLAIM.NOT_FOUND': 404,
  'SETTING.INVALID': 503,
  'STORE.LOG_GAP': 503,
  'NETWORK.FAILED': 503,
  'STORE.UNAVAILABLE': 503,
  'STORE.CONFLICT': 503,
}

/** An HTTP answer whose headers can be extended. */
export type HttpAnswer = Omit<HttpResponseInit, 'headers'> & { readonly headers: { readonly [name: string]: string } }

/** Returns a refusal as an HTTP answer, with a problem body that names code, field and rule. */
export function httpProblem(problem: Problem): HttpAnswer {
  const body = JSON.stringify(problem)
  const wait: { [name: string]: string } =
    problem.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(problem.retryAfterMs / 1_000)) }
  return { status: STATUS[problem.code] ?? 500, headers: { 'content-type': 'application/problem+json', ...wait }, body }
}

/** Returns the answer, or the HTTP answer for a Fault. Other errors are bugs and are thrown: the host answers 500. */
export async function orProblem(answer: () => Promise<HttpResponseInit>, tell: (problem: Problem) => void): Promise<HttpResponseInit> {
  const answered = await settle(answer)
  if (answered.ok) return answered.value
  if (!(answered.error instanceof Fault)) throw answered.error
  tell(answered.error.problem)
  return httpProblem(answered.error.problem)
}

const MOST_BYTES = 16 * 1024 * 1024
const dictionary = Buffer.from(POST_DICTIONARY)
const ungzip = promisify(gunzip)
const undeflate = promisify(inflate)

type Unpack = (raw: Buffer) => Buffer | Promise<Buffer>

/** How a body is unpacked, by its content encoding. */
const UNPACK: { readonly [encoding: string]: Unpack } = {
  gzip: (raw) => ungzip(raw, { maxOutputLength: MOST_BYTES }),
  deflate: (raw) => undeflate(raw, { maxOutputLength: MOST_BYTES, dictionary }),
}

/** Returns the JSON body of a request, unpacked if it is packed. The size is bounded, so that a small body cannot unpack to a large one. */
export async function readJsonBody(request: HttpRequest): Promise<Result<unknown, Problem>> {
  const raw = Buffer.from(await request.arrayBuffer())
  if (raw.byteLength > MOST_BYTES) return tooLarge()
  const encoding = request.headers.get('content-encoding') ?? ''
  const unpack = ownValue(UNPACK, encoding)
  try {
    const text = unpack === undefined ? raw : await unpack(raw)
    return ok(JSON.parse(text.toString('utf8')))
  } catch (cause) {
    if (cause instanceof RangeError) return tooLarge()
    const why = messageOf(cause)
    return err(problem('INPUT.INVALID', `the body is not ${unpack === undefined ? '' : `${encoding} of `}JSON: ${why}`))
  }
}

function tooLarge(): Result<never, Problem> {
  return err(problem('INPUT.TOO_LARGE', `the body is larger than ${MOST_BYTES} bytes when unpacked; post smaller batches`))
}

/**
 * The app with HTTP functions that always answer. With HTTP streams, the library answers nothing if a handler throws (azure-functions-nodejs-library
 * issue 324, read in November 2026): the caller waits until the host cuts the connection after four minutes.
 */
export function answered(app: FunctionApp, telemetry: Telemetry): FunctionApp {
  return {
    ...app,
    http: (name, options) =>
      app.http(name, {
        ...options,
        async handler(request, context) {
          const outcome = await settle(async () => options.handler(request, context))
          if (outcome.ok) return outcome.value
          telemetry.error(`the function ${name} failed: ${String(outcome.error)}`, { work: name })
          return { status: 500 }
        },
      }),
  }
}
