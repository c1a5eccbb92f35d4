import { setTimeout as delay } from 'node:timers/promises'

/** The time and random numbers of the host, so that tests can run on a virtual clock. */
export type HostClock = {
  now(): number
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random: () => number
}

/** Timers of Node overflow above this. */
const LONGEST_TIMER_MS = 2_147_483_647

export function createHostClock(): HostClock {
  return {
    now: () => Date.now(),
    random: () => Math.random(),
    sleep: async (ms, signal) => {
      // a timer can only fail by being cancelled, which ends the sleep early
      await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined)
    },
  }
}
