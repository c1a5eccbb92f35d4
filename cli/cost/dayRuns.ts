/**
 * The state of a cluster over some time. `empty`: no machine of Joiner. `quiet`: some machines. `refusing`: a pod that fits nowhere. `busy`: a
 * machine is being added or removed.
 */
export type ClusterActivity = 'empty' | 'quiet' | 'refusing' | 'busy'

/** The runs of the timer in a day, and the work for one cluster in them. */
export type DayRuns = {
  readonly timer: number
  readonly gc: number
  /** Decisions that the timer starts. Decisions after changes are extra. */
  readonly decisions: number
}

/** Posts of a shim without changes in a day, where nothing happens: one in five minutes. */
export const EMPTY_POSTS_A_DAY = 288

/** The runs with the default schedules. A test counts them from the code of the app and fails if they differ. */
export const DEFAULT_DAY: { readonly [Each in ClusterActivity]: DayRuns } = {
  empty: { timer: 1_440, gc: 145, decisions: 144 },
  quiet: { timer: 1_440, gc: 145, decisions: 288 },
  refusing: { timer: 1_440, gc: 145, decisions: 720 },
  busy: { timer: 1_440, gc: 721, decisions: 8_640 },
}
