import { defined } from '../../base/values.ts'
import { faultOf, type KubeAnswer, messageOf, statusJson } from '../../kubeclient/status.ts'
import { type Problem, type ProblemCode, problem } from '../../model/problem.ts'

const EXPECTED: { readonly [status: number]: ProblemCode } = { 404: 'KUBE.NOT_FOUND', 409: 'KUBE.CONFLICT', 422: 'KUBE.INVALID' }

/** The Problem of an answer with status 404, 409 or 422. Throws a Fault for every other status. */
export function problemOf(answer: KubeAnswer, operation: string, object: string): Problem {
  const code = EXPECTED[answer.status]
  if (code === undefined) throw faultOf(answer, operation, object)
  const status = statusJson(answer)
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

/** Reports whether a disruption budget forbids an eviction, as opposed to the load of the server. */
export function isEvictionBlocked(answer: KubeAnswer): boolean {
  // Two budgets for one pod are a 500. Only an operator can fix that, so the eviction waits.
  return answer.status === 429 || (answer.status === 500 && messageOf(answer).includes('more than one PodDisruptionBudget'))
}

/** The name of the budget that forbids an eviction. Undefined if the server does not name it. */
export function budgetOf(answer: KubeAnswer): string | undefined {
  const cause = statusJson(answer).details?.causes?.find(({ reason }) => reason === 'DisruptionBudget')
  return /disruption budget (\S+)/.exec(cause?.message ?? '')?.[1]
}
