import { setTimeout as delay } from 'node:timers/promises'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

/** Node's timers end at once if they are set to more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of the operating system. */
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
    await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal: cancel.signal })
  } catch {
    // A timer fails only if it is cancelled, and only the signal of the caller cancels this one.
    throw signal.reason
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
