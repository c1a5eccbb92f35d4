import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { armFailure } from '../armFailure.ts'

/** What to throw when an ARM call failed in a way nobody planned for: a Fault, or the caller's own reason to stop. The SDK's own error stays out: it holds the token and the body that were sent. */
export function azureFault(operation: string, error: unknown, signal: AbortSignalLike): unknown {
  if (signal.aborted) return signal.reason
  const failure = armFailure(error)
  const code =
    failure.status === 429 ? 'AZURE.THROTTLED' : failure.status === 403 || failure.status === 401 ? 'AZURE.FORBIDDEN' : 'AZURE.FAILED'
  const said = failure.code === '' ? failure.message : `${failure.code}: ${failure.message}`
  const retry = failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }
  return new Fault(operation, problem(code, said, { fields: { azureCode: failure.code, status: failure.status ?? 0 }, ...retry }), failure)
}
