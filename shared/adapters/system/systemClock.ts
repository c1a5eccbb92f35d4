import { setTimeout as delay } from 'node:timers/promises'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

/** The machine's own clock. */
export function createSystemClock(): Clock {
  return {
    now: () => epochMs(Date.now()),
    sleep: (ms, signal) => sleep(ms, signal),
  }
}

async function sleep(ms: number, signal: AbortSignalLike): Promise<void> {
  if (signal.aborted) throw signal.reason
  const cancel = new AbortController()
  const abort = () => cancel.abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await delay(ms, undefined, { signal: cancel.signal })
  } catch {
    // a timer fails only by being cancelled, and only the caller's signal cancels this one
    throw signal.reason
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
