import type { Shown } from '../karpenterLines/karpenterGroup.ts'

/** A failure that users of node autoscalers have reported, and what must hold here instead. */
export type FailureStory = {
  readonly story: string
  /** What users have reported. */
  readonly what: string
  /** What must hold instead. */
  readonly holds: string
  /** What no test shows, or what does not hold. Absent: everything is shown. */
  readonly but?: string
  readonly shown: Shown
}
