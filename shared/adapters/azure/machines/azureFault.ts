import { defined } from '../../../base/defined.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { armFailure } from '../armFailure.ts'

/**
 * The error to throw after an unexpected failure of an ARM call: a Fault, or the reason of the signal if it is aborted. The error of the SDK is not
 * kept, because it holds the token and the body that were sent.
 */
export function azureFault(operation: string, error: unknown, signal: AbortSignalLike): unknown {
  if (signal.aborted) return signal.reason
  // The credential of a person has said what to do.
  if (error instanceof Fault) return error
  const failure = armFailure(error)
  const code =
    failure.status === 429 ? 'AZURE.THROTTLED' : failure.status === 403 || failure.status === 401 ? 'AZURE.FORBIDDEN' : 'AZURE.FAILED'
  const said = failure.code === '' ? failure.message : `${failure.code}: ${failure.message}`
  const retry = defined({ retryAfterMs: failure.retryAfterMs, isLocal: failure.isLocal })
  return new Fault(operation, problem(code, said, { fields: { azureCode: failure.code, status: failure.status ?? 0 }, ...retry }), failure)
}
