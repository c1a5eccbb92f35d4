import { err, messageOf, ok, type Result } from '../../base/result.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'

/** The time after which a caller may try a failed storage call again, in milliseconds. */
const RETRY_AFTER_MS = 5_000

/**
 * Makes one storage call. The error codes in `expected` are returned. An aborted call throws the reason of its signal. Every other error, which the
 * SDK has retried already if that helps, is thrown as a Fault.
 */
export async function attempt<Value, Code extends string>(
  operation: string,
  expected: readonly Code[],
  signal: AbortSignalLike,
  call: () => Promise<Value>,
): Promise<Result<Value, Code>> {
  try {
    return ok(await call())
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    const code = storageCode(cause)
    const answer = expected.find((candidate) => candidate === code)
    if (answer !== undefined) return err(answer)
    throw storageFault(operation, cause)
  }
}

/** Makes one storage call that has no expected failure. */
export async function must<Value>(operation: string, signal: AbortSignalLike, call: () => Promise<Value>): Promise<Value> {
  const result = await attempt(operation, [], signal, call)
  if (!result.ok) throw storageFault(operation, result.error)
  return result.value
}

/** The error code of storage, for example `BlobNotFound`. Undefined if the request got no answer. */
export function storageCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined
  // Answers to HEAD have the code only in a header, which the SDK puts into `details`.
  if ('code' in error && typeof error.code === 'string' && error.code !== 'REQUEST_SEND_ERROR') return error.code
  if ('details' in error && typeof error.details === 'object' && error.details !== null && 'errorCode' in error.details) {
    const { errorCode } = error.details
    return typeof errorCode === 'string' ? errorCode : undefined
  }
  return undefined
}

function storageFault(operation: string, cause: unknown): Fault {
  const code = storageCode(cause)
  const said = messageOf(cause).split('\n')[0]
  return new Fault(
    operation,
    problem('STORE.UNAVAILABLE', `the storage request failed: ${code === undefined ? '' : `${code}: `}${said}`, {
      retryAfterMs: RETRY_AFTER_MS,
    }),
    cause,
  )
}
