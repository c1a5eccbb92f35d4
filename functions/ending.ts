import { settleBounded } from '../shared/base/concurrency.ts'
import { atMost } from './deadline.ts'

/** The end of this process, and the work that must be stored before it. */
export type Ending = {
  /** Aborts when the platform announces the end of the process. */
  readonly over: AbortSignal
  /** Registers work that the end waits for. The promise must not reject. */
  readonly handedOver: (leaving: Promise<unknown>) => void
  /** Resolves when all registered work has ended, or when the platform would not wait any longer. */
  readonly end: () => Promise<void>
}

/** The platform gives all shutdown hooks of an app five seconds together. The last telemetry is sent within them too. */
const LONGEST_MS = 2_000
/** All of it runs already. This bounds only how many promises are awaited at a time. */
const WAITED_FOR_AT_ONCE = 64

export function createEnding(longestMs: number = LONGEST_MS): Ending {
  const over = new AbortController()
  const leaving = new Set<Promise<unknown>>()
  return {
    over: over.signal,
    handedOver(work) {
      leaving.add(work)
      void work.finally(() => leaving.delete(work))
    },
    async end() {
      over.abort()
      // Sleeping work wakes first and registers what it hands over.
      await new Promise((resolve) => setImmediate(resolve))
      await Promise.race([settleBounded([...leaving], WAITED_FOR_AT_ONCE, (each) => each), atMost(longestMs)])
    },
  }
}
