import { defined } from '../../../base/values.ts'
import { Fault, type ProblemCode, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { type ArmFailure, armFailure } from '../armFailure.ts'
import { BUSY_RESOURCE_CODES } from '../busyResource.ts'

/**
 * The error to throw after an unexpected failure of an ARM call: a Fault, or the reason of the signal if it is aborted. The error of the SDK is not
 * kept, because it holds the token and the body that were sent.
 */
export function azureFault(operation: string, error: unknown, signal: AbortSignalLike): unknown {
  if (signal.aborted) return signal.reason
  // The credential of a person has said what to do.
  if (error instanceof Fault) return error
  const failure = armFailure(error)
  const said = failure.code === '' ? failure.message : `${failure.code}: ${failure.message}`
  const retry = defined({ retryAfterMs: failure.retryAfterMs, isLocal: failure.isLocal })
  return new Fault(
    operation,
    problem(codeOf(failure), said, { fields: { azureCode: failure.code, status: failure.status ?? 0 }, ...retry }),
    failure,
  )
}

/** A resource that is still changing has the status of throttling, too, and no limit is reached. */
function codeOf({ status, code }: ArmFailure): ProblemCode {
  if (status === 401 || status === 403) return 'AZURE.FORBIDDEN'
  return status === 429 && !BUSY_RESOURCE_CODES.includes(code) ? 'AZURE.THROTTLED' : 'AZURE.FAILED'
}
