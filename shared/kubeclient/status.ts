import { Fault, problem } from '../model/problem.ts'

/** An answer of the API server with any status. */
export type KubeAnswer = { readonly status: number; readonly json: unknown; readonly retryAfterMs?: number }

/** `metadata.v1.Status`, the body of a refusal of the API server. */
export type StatusJson = {
  readonly message?: string
  readonly reason?: string
  readonly details?: {
    readonly name?: string
    readonly causes?: readonly { readonly field?: string; readonly message?: string; readonly reason?: string }[]
  }
}

export function isSuccess({ status }: KubeAnswer): boolean {
  return status >= 200 && status < 300
}

/** Returns the Status in an answer. A proxy in between may answer anything, so each member may be missing. */
export function statusJson({ json }: KubeAnswer): StatusJson {
  return isObject(json) ? json : {}
}

function isObject(json: unknown): json is StatusJson {
  return typeof json === 'object' && json !== null
}

export function messageOf(answer: KubeAnswer): string {
  return statusJson(answer).message ?? `status ${answer.status}`
}

/** The Fault of an answer that the caller cannot use. It has the status of the answer as a field. */
export function faultOf(answer: KubeAnswer, operation: string, object: string): Fault {
  const said = statusJson(answer).message ?? 'no message'
  const fields = { status: answer.status }
  return new Fault(
    `${operation} ${object}`,
    problem('KUBE.FAILED', `the API server answered ${answer.status}: ${said}`, { object, fields }),
  )
}

/** Returns the status of the answer in a Fault of `faultOf`. Undefined if the API server did not answer. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Fault ? error.problem.fields?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

/**
 * Reports whether the server has no object with that name. While a server starts, and if a CRD was removed, the answer is a 404 for the whole kind.
 * Then nothing is known about the object, and nothing may be deleted because of it.
 */
export function isObjectMissing(answer: KubeAnswer): boolean {
  return answer.status === 404 && statusJson(answer).details?.name !== undefined
}
