import type { HostClock } from '../base/hostClock.ts'
import { messageOf } from '../base/hostLog.ts'
import type { HostFunction } from './hostFunction.ts'
import type { InvocationRequest } from './rpc.ts'

/**
 * Runs a function with its retry policy. Retries are kept in the memory of this host and are lost with it, as on the platform. Of the triggers of
 * this host only timers have retries. A queue message is tried again by its dequeue count instead.
 */
export async function runWithRetry<Value>(
  target: HostFunction,
  clock: HostClock,
  run: (retryContext: InvocationRequest['retryContext']) => Promise<Value>,
): Promise<Value> {
  const { retry, trigger } = target
  if (retry === undefined || trigger.kind !== 'timer') return run(undefined)
  const unlimited = retry.maxRetryCount < 0
  let exception = { message: '' }
  for (let retryCount = 0; ; retryCount++) {
    try {
      return await run(retryCount === 0 ? undefined : { retryCount, maxRetryCount: retry.maxRetryCount, exception })
    } catch (error) {
      if (!unlimited && retryCount >= retry.maxRetryCount) throw error
      exception = { message: messageOf(error) }
      await clock.sleep(delayMs(retry, retryCount), new AbortController().signal)
    }
  }
}

function delayMs(retry: NonNullable<HostFunction['retry']>, retryCount: number): number {
  if (retry.retryStrategy !== 'exponentialBackoff') return (retry.delayInterval?.seconds ?? 0) * 1000
  const min = retry.minimumInterval?.seconds ?? 1
  const max = retry.maximumInterval?.seconds ?? 300
  return Math.min(max, min * 2 ** retryCount) * 1000
}
