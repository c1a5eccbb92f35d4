import type { Condition } from './condition.ts'
import type { Cron } from './cron.ts'
import { type NodeClaimName, type NodeClassName, type NodePoolName, namespaceOf, type Uid } from './ids.ts'
import { selects } from './labelSelector.ts'
import type { Labels, Meta } from './labels.ts'
import type { Pod } from './pod.ts'
import type { RequirementSpec } from './requirements.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'
import type { DurationMs, EpochMs } from './units.ts'
import type { PodDisruptionBudget } from './workloads.ts'

/** A duration, or no limit. `Never` is its own value and not a large number. */
export type DurationOrNever = DurationMs | 'Never'

export type NodeClassRef = { readonly group: string; readonly kind: string; readonly name: NodeClassName }

export type NodePool = {
  readonly name: NodePoolName
  readonly meta: Meta
  readonly template: NodeClaimTemplate
  readonly disruption: DisruptionPolicy
  /** May name `nodes` beside resources. A resource that is not named has no limit. */
  readonly limits: Resources
  /** Limits that cannot be read, in words. Each of them counts as 0 above. Undefined if all can be read. */
  readonly unreadableLimits?: readonly string[]
  /** See `UnknownValues`. */
  readonly unknownValues?: UnknownValues
  /** 1 to 100. Undefined counts as 0. Pools with more weight come first. */
  readonly weight?: number
  /** The number of nodes that a static pool keeps. Undefined if the pool is dynamic. */
  readonly replicas?: number
  readonly status: {
    readonly conditions: readonly Condition[]
    readonly resources: Resources
    readonly nodes?: number
    /** Generation of the class for which the condition NodeRegistrationHealthy was set. */
    readonly nodeClassObservedGeneration?: number
  }
}

/**
 * Values in the spec of an object that this version of Joiner does not know, each with its place, in words. The object is read without them: requirements
 * are left out, and taints keep pods off. No machine is made by such an object, and no machine drifts by it. Undefined if all values are known.
 */
export type UnknownValues = readonly string[]

/** Condition type. True: the pool makes no machines for now, since the last machines did not join. */
export const CREATION_PAUSED = 'NodeCreationPaused'
/** Reason of `CREATION_PAUSED`: Azure makes no machine because a permission or a credential is missing. */
export const CREATION_FORBIDDEN = 'CreationForbidden'

/** Condition type. True: a disruption setting of the pool cannot be parsed. The condition does not exist if all can be parsed. */
export const DISRUPTION_RULES_INVALID = 'DisruptionRulesInvalid'

/** Condition type. True: drifted nodes of the pool are not replaced, since the last replacements had drifted when they came up. */
export const DRIFT_PAUSED = 'DriftPaused'

export type NodeClaimTemplate = {
  readonly labels: Labels
  readonly annotations: Labels
  readonly requirements: readonly RequirementSpec[]
  readonly taints: readonly Taint[]
  readonly startupTaints: readonly Taint[]
  readonly nodeClassRef: NodeClassRef
  readonly expireAfter: DurationOrNever
  readonly terminationGracePeriod?: DurationMs
  /** Fields that the template has, but empty. Karpenter's hash tells them from fields that are not there. Undefined if there are none. */
  readonly emptyFields?: readonly EmptyField[]
}

export const EMPTY_FIELDS = ['labels', 'annotations', 'taints', 'startupTaints'] as const
export type EmptyField = (typeof EMPTY_FIELDS)[number]

export type DisruptionPolicy = {
  readonly consolidationPolicy: (typeof CONSOLIDATION_POLICIES)[number]
  /** The policy as written, if this version of Joiner does not know it. The pool then never consolidates. */
  readonly unknownPolicy?: string
  readonly consolidateAfter: DurationOrNever
  readonly budgets: readonly Budget[]
}

export const CONSOLIDATION_POLICIES = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const

export const DISRUPTION_REASONS = ['Empty', 'Underutilized', 'Drifted', 'Unhealthy'] as const
export type DisruptionReason = (typeof DISRUPTION_REASONS)[number]

export type Budget = {
  /** `10` or `10%`, as written. */
  readonly nodes: string
  /** Cron expression, in UTC unless it begins with `CRON_TZ=`, or a macro such as `@hourly`. Requires a duration. */
  readonly schedule?: string
  readonly duration?: DurationMs
  /** The parsed schedule, or what is wrong with it. Undefined if there is no schedule. */
  readonly starts?: Cron | { readonly problem: string }
  /** Undefined: the budget holds for every reason. */
  readonly reasons?: readonly DisruptionReason[]
  /** Reasons that this version of Joiner does not know. Each may mean any reason, so the budget then holds for every reason and allows nothing. */
  readonly unknownReasons?: readonly string[]
}

/** Returns the budgets that apply to an eviction of the pod. With more than one budget the API server refuses every eviction with an error. */
export function budgetsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  const namespace = namespaceOf(pod)
  return budgets.filter((budget) => namespaceOf(budget) === namespace && selects(budget.selector, pod.labels))
}

/** The outcome of a claim: its node joined, or it did not. */
export type RegistrationOutcome = RegisteredClaim | FailedRegistration

type WhichClaim = {
  readonly claim: NodeClaimName
  readonly uid: Uid
  /** When the claim was made. A claim that is older than its pool was made for an earlier pool of the same name. */
  readonly createdAt: EpochMs
}

type RegisteredClaim = WhichClaim & { readonly joined: true }

/** A claim whose node did not join or did not become ready, and what its pool's condition says about it. */
export type FailedRegistration = WhichClaim & {
  readonly joined: false
  readonly reason: string
  readonly message: string
}

/** Prices or further resources that a user defines for the instance types that the overlay selects. */
export type NodeOverlay = {
  readonly name: string
  readonly meta: Meta
  readonly requirements: readonly RequirementSpec[]
  /** Dollars an hour, as written. Cannot be combined with `priceAdjustment`. */
  readonly price?: string
  /** `+0.1`, `-0.1`, `+10%` or `-10%`. */
  readonly priceAdjustment?: string
  /** Extended resources only. */
  readonly capacity?: Resources
  /** Undefined counts as 0. Overlays with more weight win. */
  readonly weight?: number
  /** See `UnknownValues`. The overlay changes nothing. */
  readonly unknownValues?: UnknownValues
  readonly status: { readonly conditions: readonly Condition[] }
}
