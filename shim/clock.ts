import { setTimeout as delay } from 'node:timers/promises'
import { type EpochMs, epochMs } from '../shared/model/units.ts'

/** The time functions that the shim uses. Tests replace them by a virtual clock. */
export interface Clock {
  now(): EpochMs
  /** Milliseconds of a steady clock, which never jumps. For durations. */
  monotonic(): number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** Node's timers end at once if they are set to more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  },
}
