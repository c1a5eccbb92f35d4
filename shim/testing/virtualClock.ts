import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../clock.ts'

export interface VirtualClock extends Clock {
  /** Lets time pass: every sleep that ends meanwhile ends in its order, and what follows from it runs. */
  advance(ms: number): Promise<void>
}

type Sleeper = { readonly at: number; readonly wake: () => void }

export function createVirtualClock(start = 1_800_000_000_000): VirtualClock {
  let passed = 0
  const sleepers = new Set<Sleeper>()

  return {
    now: () => epochMs(start + passed),
    monotonic: () => passed,
    sleep(ms, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      if (signal.aborted) return Promise.reject(signal.reason)
      const sleeper: Sleeper = { at: passed + ms, wake: resolve }
      sleepers.add(sleeper)
      const leave = () => {
        sleepers.delete(sleeper)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      return promise
    },
    async advance(ms) {
      const end = passed + ms
      for (;;) {
        await settled()
        const next = [...sleepers].filter(({ at }) => at <= end).sort((first, second) => first.at - second.at)[0]
        if (!next) break
        sleepers.delete(next)
        passed = Math.max(passed, next.at)
        next.wake()
      }
      passed = end
      await settled()
    },
  }
}

/** Promises of in-memory fakes settle within a few turns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
