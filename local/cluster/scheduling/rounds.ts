import { setImmediate as nextTurn } from 'node:timers/promises'

export type Rounds = {
  /** Requests a round in at most `ms` milliseconds. */
  soon(ms: number): void
  close(): void
}

const SLICE_MS = 10

/** Works through the items in slices, so that the rest of the process does not wait. */
export async function inSlices<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  let began = Date.now()
  for (const item of items) {
    if (Date.now() - began > SLICE_MS) {
      await nextTurn()
      began = Date.now()
    }
    work(item)
  }
}

/** Runs rounds one after another. Any number of requests become one round. */
export function createRounds(round: () => Promise<void>): Rounds {
  let next: NodeJS.Timeout | undefined
  let at = Number.POSITIVE_INFINITY
  let running = false
  let closed = false
  const run = async () => {
    at = Number.POSITIVE_INFINITY
    running = true
    await round()
    running = false
    if (at < Number.POSITIVE_INFINITY) arm(at - Date.now())
  }
  const arm = (ms: number) => {
    clearTimeout(next)
    if (!closed) next = setTimeout(() => void run(), Math.max(0, ms))
  }
  return {
    soon: (ms) => {
      const wish = Date.now() + ms
      if (closed || wish >= at) return
      at = wish
      if (!running) arm(ms)
    },
    close: () => {
      closed = true
      clearTimeout(next)
    },
  }
}
