/** What a cluster is like for a while: `empty` has no machine of Joiner's, `quiet` has some, `refusing` a pod that fits nowhere; in `busy` a machine comes or goes. */
export type Mood = 'empty' | 'quiet' | 'refusing' | 'busy'

/** Runs of the timer in a day, and what they do for one cluster. */
export type DayRuns = {
  readonly timer: number
  readonly gc: number
  /** Looks at the cluster that the timer asks for. Those that changes ask for come on top. */
  readonly looks: number
}

/** With the schedules that hold where no setting says otherwise. Counted from the code of the app by a test, which fails where they are others. */
export const DEFAULT_DAY: { readonly [Each in Mood]: DayRuns } = {
  empty: { timer: 1_440, gc: 145, looks: 144 },
  quiet: { timer: 1_440, gc: 145, looks: 288 },
  refusing: { timer: 1_440, gc: 145, looks: 720 },
  busy: { timer: 1_440, gc: 721, looks: 8_640 },
}
