/** Decides when a post may start. Times are in milliseconds of a monotonic clock. */
export interface PostPace {
  /** The earliest start of the next post. */
  nextStart(): number
  /** Notes a post that is over. */
  note(post: { readonly start: number; readonly end: number }): void
}

/** The pause after a post is this many times as long as its delay under load. */
const PAUSE_FACTOR = 16
/**
 * Far less than the idle time after which the app ends a batch of pods (`BATCH_IDLE_DURATION`). A longer pause could end the batch between two posts of
 * one burst.
 */
const LONGEST_PAUSE_MS = 300
/** By this share of the difference, each slower post raises the least time. So the least time follows a network that became slower. */
const RAISED_BY = 0.002

/**
 * A post may start `windowMs` after the start of the last post. If the last post took longer than a post takes without load, the pause is longer. So an
 * app or an API server under load gets fewer and larger posts. The time without load is the least time of earlier posts, which is mostly the way
 * through the network, so a distant app is not taken for a loaded one.
 */
export function createPostPace(windowMs: number): PostPace {
  let nextStart = Number.NEGATIVE_INFINITY
  let least: number | undefined
  return {
    nextStart: () => nextStart,
    note({ start, end }) {
      const took = end - start
      least = Math.min(took, least === undefined ? took : least + (took - least) * RAISED_BY)
      // Clocks sleep whole milliseconds.
      const pause = Math.round(Math.min(PAUSE_FACTOR * (took - least), LONGEST_PAUSE_MS))
      nextStart = Math.max(start + windowMs, end + pause)
    },
  }
}
