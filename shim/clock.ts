import { setTimeout as delay } from 'node:timers/promises'
import { type EpochMs, epochMs } from '../shared/model/units.ts'

/** Time, as far as the shim uses it: tests run on a virtual one. */
export interface Clock {
  now(): EpochMs
  /** Milliseconds that never jump, for durations. */
  monotonic(): number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  },
}
