/** Timers of the emulated cloud: its durations divided by the speed, and all of them gone when it closes. */
export interface Timeline {
  /** Runs `effect` after the emulated time has passed. Returns the way to call it off. */
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
