/**
 * How much work planning was, in units that are the same on every machine. A buffer of the plan; no decision depends on it, and none
 * carries it.
 */
export type Work = {
  /** Machines that had to be looked at because they are new or have changed. */
  machines: number
  /** Classes of pods that were told apart. */
  classes: number
  /** Times that places were sought for a pod, or for several at once. */
  attempts: number
  /** Machines and claims that were there and were asked whether they take a pod. */
  targets: number
  /** Claims of the plan that were asked, each time with all that is open. */
  claims: number
  /** Claims that were opened, also for plans that were not kept. */
  opened: number
  /** Pods of one size looked at while machines were filled on paper. */
  shapes: number
  /** Wishes of pods that were asked whether they may join a machine on paper. */
  joins: number
  /** Counts of neighbours that were changed. */
  counts: number
  /** Pools that were asked why they make no machine for some pods. */
  verdicts: number
  /** Sets of constraints whose sizes and offerings were worked out. */
  combinations: number
}

export function createWork(): Work {
  return {
    machines: 0,
    classes: 0,
    attempts: 0,
    targets: 0,
    claims: 0,
    opened: 0,
    shapes: 0,
    joins: 0,
    counts: 0,
    verdicts: 0,
    combinations: 0,
  }
}
