/** Repair policies: which conditions of a node ask for a repair, after how long, and in what way. The members have Karpenter's names. */
import type { Condition, ConditionStatus } from './condition.ts'
import { type DurationMs, durationMs, type EpochMs } from './units.ts'

/** `ReplaceNode`: another machine takes the place of the node. `RebootNode`: the machine is restarted and keeps its claim. */
export type RepairAction = 'ReplaceNode' | 'RebootNode'

export type RepairPolicy = {
  readonly conditionType: string
  readonly conditionStatus: ConditionStatus
  /**
   * Must match some part of the reason of the condition. Undefined: the policy is the default fallback, for all conditions of the set whose reason no
   * other policy matches. A set has one such policy.
   */
  readonly reasonRegex?: string
  /** How long the condition lasts before the node is repaired. */
  readonly tolerationDuration: DurationMs
  /** The longest drain of the repair. Undefined: the policy states none. */
  readonly terminationGracePeriod?: DurationMs
  /** 0 to 100. Nodes with policies of higher priority are repaired first. */
  readonly priority: number
  readonly action: RepairAction
}

/** What the policies ask for about one node, now. */
export type ResolvedRepair = {
  readonly action: RepairAction
  /** The condition that decides the action. */
  readonly condition: Condition
  /** From when this condition asks for it. */
  readonly eligibleAt: EpochMs
  /** The shortest of all drain bounds that the policies state. Undefined if they state none. */
  readonly terminationGracePeriod?: DurationMs
  /** The type of the condition whose policy states the bound. */
  readonly boundBy?: string
  /** Nodes with a higher score are repaired first. */
  readonly score: number
}

const minutes = (count: number): DurationMs => durationMs(count * 60_000)

/**
 * The conditions of Karpenter's AKS provider, as a valid set. Without `PreemptionScheduled`: a machine that Azure takes is interrupted, so that its
 * pods keep the grace that Azure gives. Every policy states a bound, so that no pod keeps a broken node. The kubelet of a node whose state is unknown
 * confirms no eviction, so its drain has no time.
 */
export const DEFAULT_REPAIR_POLICIES: readonly RepairPolicy[] = [
  {
    conditionType: 'Ready',
    conditionStatus: 'False',
    tolerationDuration: minutes(10),
    terminationGracePeriod: minutes(5),
    priority: 20,
    action: 'ReplaceNode',
  },
  {
    conditionType: 'Ready',
    conditionStatus: 'Unknown',
    reasonRegex: '.*',
    tolerationDuration: minutes(10),
    terminationGracePeriod: minutes(0),
    priority: 20,
    action: 'ReplaceNode',
  },
  {
    conditionType: 'kubernetes.azure.com/NodeHealthy',
    conditionStatus: 'False',
    reasonRegex: '.*',
    tolerationDuration: minutes(0),
    terminationGracePeriod: minutes(10),
    priority: 10,
    action: 'ReplaceNode',
  },
]
