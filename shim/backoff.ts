/**
 * The waiting times of a retry that never gives up. The range of a wait doubles from `first` to `most`. Each wait is drawn from the upper half of its
 * range, so that many shims that lost the same server do not come back in step.
 */
export interface Backoff {
  /** Returns the milliseconds to wait now. `atLeast` is the wait that the server asked for. */
  next(atLeast?: number): number
  reset(): void
}

export function createBackoff(bounds: { readonly first: number; readonly most: number }, random: () => number = Math.random): Backoff {
  let step = 0
  return {
    next(atLeast = 0) {
      const ceiling = Math.min(bounds.most, bounds.first * 2 ** step)
      step = Math.min(step + 1, 30)
      return Math.max(atLeast, Math.round(ceiling * (0.5 + random() / 2)))
    },
    reset() {
      step = 0
    },
  }
}
