import { defined } from '../../base/defined.ts'
import { Fault, type Problem, type ProblemCode, problem } from '../../model/problem.ts'

/** An answer of the API server with any status. */
export type KubeAnswer = { readonly status: number; readonly json: unknown; readonly retryAfterMs?: number }

/** `metadata.v1.Status`, the body of a refusal of the API server. */
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

/** The Problem of an answer with status 404, 409 or 422. Throws a Fault for every other status. */
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

/**
 * The Problem of a refused creation. An admission webhook or policy that denies the object answers with the status that it likes. A 403 without its
 * words is about the rights of the app, and no fault of the object.
 */
export function problemOfCreation(answer: KubeAnswer, operation: string, object: string): Problem {
  const [kind, name = ''] = object.split('/')
  const { status } = answer
  if (status === 400 || status === 413 || isDenied(answer, name)) return problemOf({ ...answer, status: 422 }, operation, object)
  if (status !== 403) return problemOf(answer, operation, object)
  const said = `the app may not create a ${kind} in this cluster, whatever is in it: ${messageOf(answer)}`
  return problem('KUBE.FORBIDDEN', `${said}; to do: give the identity of the app the ClusterRole of the chart`, { object })
}

/** `User "x" cannot create resource` is the answer of the authorizer, which has not read the object and does not name it. */
function isDenied(answer: KubeAnswer, name: string): boolean {
  if (answer.status !== 403) return false
  const said = messageOf(answer)
  return said.includes('denied the request') || said.includes('denied request') || said.includes(`"${name}" is forbidden: `)
}

/** The Problem of an answer with status 403, 404, 409 or 422, for a write that the app can do without. Throws a Fault for every other status. */
export function problemOrForbidden(answer: KubeAnswer, operation: string, object: string): Problem {
  if (answer.status !== 403) return problemOf(answer, operation, object)
  return problem('KUBE.FORBIDDEN', `${operation} ${object}: ${messageOf(answer)}`, { object })
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
 * Reports whether the server has no object with that name. While a server starts, and if a CRD was removed, the answer is a 404 for the whole kind.
 * Then nothing is known about the object, and nothing may be deleted because of it.
 */
export function isObjectMissing({ status, json }: KubeAnswer): boolean {
  return status === 404 && statusJson(json).details?.name !== undefined
}

/** Reports whether a disruption budget forbids an eviction, as opposed to the load of the server. */
export function isEvictionBlocked(answer: KubeAnswer): boolean {
  // Two budgets for one pod are a 500. Only an operator can fix that, so the eviction waits.
  return answer.status === 429 || (answer.status === 500 && messageOf(answer).includes('more than one PodDisruptionBudget'))
}

/** The name of the budget that forbids an eviction. Undefined if the server does not name it. */
export function budgetOf({ json }: KubeAnswer): string | undefined {
  const cause = statusJson(json).details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')
  return /disruption budget (\S+)/.exec(cause?.message ?? '')?.[1]
}

export function messageOf(answer: KubeAnswer): string {
  return statusJson(answer.json).message ?? `status ${answer.status}`
}

// API servers refuse with this shape. A proxy in between may answer anything, so each member may be missing.
function statusJson(json: unknown): StatusJson {
  return typeof json === 'object' && json !== null ? (json as StatusJson) : {}
}
