/** Timers of the emulated cloud. Durations are divided by the speed. `close` clears all timers. */
export interface Timeline {
  /** Runs `effect` after the emulated time. Returns the function that cancels it. */
  after(ms: number, effect: () => void): () => void
  /** Real milliseconds of an emulated duration. */
  scaled(ms: number): number
  close(): void
}

export function createTimeline(speed: number): Timeline {
  const timers = new Set<NodeJS.Timeout>()
  const scaled = (ms: number) => Math.round(ms / speed)
  return {
    scaled,
    after(ms, effect) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        effect()
      }, scaled(ms))
      timers.add(timer)
      return () => {
        clearTimeout(timer)
        timers.delete(timer)
      }
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
