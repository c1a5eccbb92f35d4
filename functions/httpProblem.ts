import type { HttpResponseInit } from '@azure/functions'
import { settle } from '../shared/base/bounded.ts'
import { Fault, type Problem, type ProblemCode } from '../shared/model/problem.ts'

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
