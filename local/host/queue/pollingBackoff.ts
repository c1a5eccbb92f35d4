const MIN_MS = 100

export type PollingBackoff = {
  /** The pause before the next poll. `found`: there was a message since the pause before. */
  next(found: boolean): number
}

/** Randomised exponential: 100 ms after a hit, then up to the maximum, each step 0.8 to 1.2 of a doubling. */
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
