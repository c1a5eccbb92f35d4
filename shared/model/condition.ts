import type { EpochMs } from './units.ts'

export type ConditionStatus = 'True' | 'False' | 'Unknown'

export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  readonly message: string
  readonly lastTransitionAt: EpochMs
  readonly observedGeneration: number
}
