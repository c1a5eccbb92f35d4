import type { Condition } from './condition.ts'
import type { Cron } from './cron.ts'
import type { NodeClassName, NodePoolName } from './ids.ts'
import type { Labels, Meta } from './meta.ts'
import type { RequirementSpec } from './requirement.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'
import type { DurationMs } from './units.ts'

/** `Never` is its own value, not a large number. */
export type DurationOrNever = DurationMs | 'Never'

export type NodeClassRef = { readonly group: string; readonly kind: string; readonly name: NodeClassName }

export type NodePool = {
  readonly name: NodePoolName
  readonly meta: Meta
  readonly template: NodeClaimTemplate
  readonly disruption: DisruptionPolicy
  /** May name `nodes` beside resources. Absent resource: no limit. */
  readonly limits: Resources
  /** 1 to 100; absent counts as 0. Heavier pools come first. */
  readonly weight?: number
  /** Set: a static pool, which keeps that many nodes. */
  readonly replicas?: number
  readonly status: {
    readonly conditions: readonly Condition[]
    readonly resources: Resources
    readonly nodes?: number
    /** Generation of the class that the condition NodeRegistrationHealthy is about. */
    readonly nodeClassObservedGeneration?: number
  }
}

/** True: the pool makes no machine for now, since the last ones did not join. */
export const CREATION_PAUSED = 'NodeCreationPaused'
/** Reason of that condition: Azure makes no machine for want of a right or a credential. */
export const CREATION_FORBIDDEN = 'CreationForbidden'

/** True: the pool says of moves what nobody can read. There is no such condition where all can be read. */
export const DISRUPTION_RULES_INVALID = 'DisruptionRulesInvalid'

export type NodeClaimTemplate = {
  readonly labels: Labels
  readonly annotations: Labels
  readonly requirements: readonly RequirementSpec[]
  readonly taints: readonly Taint[]
  readonly startupTaints: readonly Taint[]
  readonly nodeClassRef: NodeClassRef
  readonly expireAfter: DurationOrNever
  readonly terminationGracePeriod?: DurationMs
}

export type DisruptionPolicy = {
  readonly consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced'
  readonly consolidateAfter: DurationOrNever
  readonly budgets: readonly Budget[]
}

export type DisruptionReason = 'Empty' | 'Underutilized' | 'Drifted'

export type Budget = {
  /** `10` or `10%`, as written. */
  readonly nodes: string
  /** Cron expression, in UTC unless it begins with `CRON_TZ=`, or a macro such as `@hourly`. Comes with a duration. */
  readonly schedule?: string
  readonly duration?: DurationMs
  /** The schedule as it was read, or what is wrong with it. Absent: there is no schedule. */
  readonly starts?: Cron | { readonly problem: string }
  /** Absent: every reason. */
  readonly reasons?: readonly DisruptionReason[]
}
