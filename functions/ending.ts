import { settleBounded } from '../shared/base/bounded.ts'
import { atMost } from './deadline.ts'

/** The end of this process, and what must reach a store before it. */
export type Ending = {
  /** Aborts when the platform says that the process ends. */
  readonly over: AbortSignal
  /** Notes work that the end waits for. It may not reject. */
  readonly handedOver: (leaving: Promise<unknown>) => void
  /** Resolves once all that was noted has ended, or the platform would not wait longer. */
  readonly end: () => Promise<void>
}

/** The platform lets the hooks of an app run for five seconds together; the last measures are sent within them, too. */
const LONGEST_MS = 2_000
/** They all go on beside each other: this is only how many are listened to. */
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
      // Sleepers wake first, and say what leaves.
      await new Promise((resolve) => setImmediate(resolve))
      await Promise.race([settleBounded([...leaving], WAITED_FOR_AT_ONCE, (each) => each), atMost(longestMs)])
    },
  }
}
