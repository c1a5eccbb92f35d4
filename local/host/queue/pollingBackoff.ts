const MIN_MS = 100

export type PollingBackoff = {
  /** Returns the pause before the next poll, in milliseconds. `found`: there was a message since the last pause. */
  next(found: boolean): number
}

/** A randomised exponential backoff: 100 ms after a message, then up to the maximum. Each step is 0.8 to 1.2 of a doubling. */
export function createPollingBackoff(maxMs: number, random: () => number): PollingBackoff {
  let currentMs: number | undefined
  let exponent = 0
  return {
    next: (found) => {
      if (found) {
        currentMs = MIN_MS
        exponent = 1
      } else if (currentMs !== maxMs) {
        const grown = MIN_MS + (exponent > 0 ? (0.8 + random() * 0.4) * 2 ** (exponent - 1) * MIN_MS : 0)
        currentMs = Math.min(grown, maxMs)
        exponent++
      }
      return currentMs
    },
  }
}
