import type { AbortSignalLike } from '../../ports/clock.ts'

/** A signal of the platform that aborts together with the signal of a port, or after the given time. */
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
