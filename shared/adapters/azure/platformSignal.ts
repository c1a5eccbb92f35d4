import type { AbortSignalLike } from '../../ports/clock.ts'

/** The platform's own kind of signal for a port's: aborts with it, or after the time given. */
export function platformSignal(signal: AbortSignalLike, timeoutMs?: number): AbortSignal {
  const own = signal instanceof AbortSignal ? signal : followed(signal)
  return timeoutMs === undefined ? own : AbortSignal.any([own, AbortSignal.timeout(timeoutMs)])
}

function followed(signal: AbortSignalLike): AbortSignal {
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}
