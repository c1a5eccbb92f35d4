import type { AbortSignalLike } from '../../ports/clock.ts'

/** Resolves once the promise is settled, fulfilled or not. Rejects with the reason of the signal if the signal aborts first. */
export function untilEnded(promise: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    const end = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    promise.then(end, end)
  })
}
