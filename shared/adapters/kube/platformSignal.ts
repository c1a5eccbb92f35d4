import type { AbortSignalLike } from '../../ports/clock.ts'

/** The ports know only the members of a signal they rely on; the clients of the platform insist on its own class. */
export function platformSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}
