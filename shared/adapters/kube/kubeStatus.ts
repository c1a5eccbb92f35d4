import { defined } from '../../base/defined.ts'
import { Fault, type Problem, type ProblemCode, problem } from '../../model/problem.ts'

/** What the API server answered, whatever the status. */
export type KubeAnswer = { readonly status: number; readonly json: unknown; readonly retryAfterMs?: number }

/** `metadata.v1.Status`: how the API server says no. */
type StatusJson = {
  readonly message?: string
  readonly reason?: string
  readonly details?: {
    readonly name?: string
    readonly causes?: readonly { readonly field?: string; readonly message?: string; readonly reason?: string }[]
  }
}

const EXPECTED: { readonly [status: number]: ProblemCode } = { 404: 'KUBE.NOT_FOUND', 409: 'KUBE.CONFLICT', 422: 'KUBE.INVALID' }

export function isSuccess(answer: KubeAnswer): boolean {
  return answer.status >= 200 && answer.status < 300
}

/** The answer as a refusal the flows know, or a Fault for every other one. */
export function problemOf(answer: KubeAnswer, operation: string, object: string): Problem {
  const code = EXPECTED[answer.status]
  if (code === undefined) throw faultOf(answer, operation, object)
  const status = statusJson(answer.json)
  const causes = (status.details?.causes ?? []).map(({ field, message }) => [field ?? '', message ?? ''] as const)
  const message = `${operation} ${object}: ${status.message ?? `the API server answered ${answer.status}`}`
  return problem(
    code,
    message,
    defined({ object, path: causes[0]?.[0], fields: causes.length === 0 ? undefined : Object.fromEntries(causes) }),
  )
}

export function faultOf(answer: KubeAnswer, operation: string, object: string): Fault {
  const said = statusJson(answer.json).message ?? 'no message'
  const fields = { status: answer.status }
  return new Fault(
    `${operation} ${object}`,
    problem('KUBE.FAILED', `the API server answered ${answer.status}: ${said}`, { object, fields }),
  )
}

/**
 * True when the server looked for the object and has none of that name. A server that starts, or a definition that is taken away, answers
 * 404 for the whole kind: then nothing is known about the object, and nothing may end on it.
 */
export function isObjectMissing({ status, json }: KubeAnswer): boolean {
  return status === 404 && statusJson(json).details?.name !== undefined
}

/** True when a disruption budget, not the server's own load, forbids an eviction. */
export function isEvictionBlocked(answer: KubeAnswer): boolean {
  // two budgets over one pod come as 500; waiting for an operator to mend it is all one can do
  return answer.status === 429 || (answer.status === 500 && messageOf(answer).includes('more than one PodDisruptionBudget'))
}

/** The budget that forbids an eviction, by its name; undefined where the server does not say. */
export function budgetOf({ json }: KubeAnswer): string | undefined {
  const cause = statusJson(json).details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')
  return /disruption budget (\S+)/.exec(cause?.message ?? '')?.[1]
}

export function messageOf(answer: KubeAnswer): string {
  return statusJson(answer.json).message ?? `status ${answer.status}`
}

// The shape of every refusal of an API server; a proxy in between may answer anything, so each member may be missing.
function statusJson(json: unknown): StatusJson {
  return typeof json === 'object' && json !== null ? (json as StatusJson) : {}
}
