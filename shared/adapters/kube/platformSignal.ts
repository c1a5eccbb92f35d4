import type { AbortSignalLike } from '../../ports/clock.ts'

/**
 * A signal of the platform that aborts together with the signal of a port. Ports use only some members of a signal, but HTTP clients need the class.
 */
export function platformSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}
