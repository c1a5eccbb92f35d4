import type { HostClock } from '../base/hostClock.ts'

export type VirtualClock = HostClock & {
  /** Moves time on, waking sleepers in order and letting what they do run before the next wakes. */
  advance(ms: number): Promise<void>
}

/** Time that moves only when told to, and chance that is always in the middle. */
export function createVirtualClock(startMs = 0): VirtualClock {
  let now = startMs
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          at: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', sleeper.wake, { once: true })
        sleepers.add(sleeper)
      }),
    advance: async (ms) => {
      const until = now + ms
      await settle()
      for (;;) {
        const next = [...sleepers].sort((one, other) => one.at - other.at).find((sleeper) => sleeper.at <= until)
        if (next === undefined) break
        now = Math.max(now, next.at)
        next.wake()
        await settle()
      }
      now = until
      await settle()
    },
  }
}

/** Lets everything that can run without time run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
