/** The answers to what users ask about a plan, as plain data. */
import type { BufferShare, DisruptionVerdict } from '../../../model/decision.ts'
import type { NodeClaimName, NodeName, NodePoolName, ObjectKey, VmSizeName } from '../../../model/ids.ts'
import type { LaunchChoice } from '../../../model/instance.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { SizeFailure } from '../../../model/sizeReport.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { Verdict } from '../decision/verdict.ts'
import type { PoolVerdict } from '../decision/verdictOrder.ts'

/** What becomes of a pod, and why. */
export type PodExplanation =
  | PodPlanned
  | {
      readonly kind: 'running'
      readonly pod: ObjectKey
      readonly node: NodeName
      /** The node is being deleted, or a disruption command takes it away. */
      readonly isDeleting: boolean
      /** What keeps the pod from being evicted. Empty unless `isDeleting`. */
      readonly heldBy: readonly Hold[]
      /** When the removal of the node began and when it ends in any case. Undefined unless `isDeleting`. */
      readonly removal?: Removal
      /** Why the pod needs no other place when the node goes. Undefined unless `isDeleting`, and if the pod needs one. */
      readonly endsThere?: 'daemon' | 'ending' | 'withNode'
      /** The claim that made the node, and why the node is what it is. Undefined if no claim made the node. */
      readonly claim?: StandingClaim
      /** When the pod was created: before the claim, before the node, or after the node. Undefined if no claim made the node. */
      readonly came?: 'beforeClaim' | 'beforeNode' | 'afterNode'
      /** Where the pod goes once it is evicted. Undefined if it is not planned again. */
      readonly then?: PodPlanned
    }
  | { readonly kind: 'notPlanned'; readonly pod: ObjectKey; readonly code: 'POD.NOT_PROVISIONABLE'; readonly because: NotPlanned }

/** What a plan does with a pod. */
export type PodPlanned =
  | {
      readonly kind: 'refused'
      readonly pod: ObjectKey
      readonly code: ProblemCode
      readonly message: string
      /** The verdict of each NodePool, the most telling first. Empty if the pod is refused before any NodePool is asked. */
      readonly pools: readonly PoolVerdict[]
      readonly machines: readonly MachineRefusals[]
    }
  | ({ readonly kind: 'onMachine'; readonly pod: ObjectKey } & MachinePlace)
  | {
      readonly kind: 'onNewClaim'
      readonly pod: ObjectKey
      readonly claim: NewClaim
      readonly gaveUp: number
      /** The verdicts of NodePools with more weight, to which the pod was offered first. */
      readonly pools: readonly PoolVerdict[]
      readonly machines: readonly MachineRefusals[]
    }

/** What keeps a pod from being evicted: a PodDisruptionBudget that allows no disruption now, one of several that select the pod, or an annotation. */
export type Hold = { readonly kind: 'budget' | 'oneOfSeveralBudgets' | 'annotation'; readonly name: string }

/** `since`: when the claim or node was deleted or a move took it. `deadline`: when its pods are deleted, whatever holds them. */
export type Removal = { readonly since?: EpochMs; readonly deadline?: EpochMs }

/** The pods that a machine that is being removed waits for, and what holds them. */
export type Drain = Removal & {
  readonly leaving: readonly ObjectKey[]
  readonly held: readonly { readonly by: Hold; readonly pods: readonly ObjectKey[] }[]
}

export type MachinePlace = {
  readonly machine: string
  /** Undefined if no claim made the node. */
  readonly claim?: NodeClaimName
  readonly stage: 'up' | 'comingUp' | 'notLaunched'
  /** An earlier decision nominated the node for the pod, and the plan keeps to that. */
  readonly isNominated: boolean
  /** How many preferences of the pod were dropped. */
  readonly gaveUp: number
}

/** Why no decision looks for a place for the pod. */
export type NotPlanned =
  | { readonly kind: 'gated'; readonly gates: readonly string[] }
  | { readonly kind: 'preempting'; readonly node: string }
  /** Another scheduler places the pod, and has not refused it. */
  | { readonly kind: 'otherScheduler'; readonly scheduler: string }
  | { readonly kind: 'daemon' | 'mirror' | 'ended' | 'deleted' | 'untried' }

/** How many existing nodes refuse for one reason, with the name and verdict of the node that comes closest. */
export type MachineRefusals = { readonly machines: number; readonly closest: string; readonly verdict: Verdict }

/** A claim that the decision creates. */
export type NewClaim = {
  readonly name: NodeClaimName
  readonly pool: NodePoolName
  readonly pods: readonly ObjectKey[]
  /** CapacityBuffers that the claim keeps room for. Undefined if there are none. */
  readonly buffers?: readonly BufferShare[]
  readonly choice: LaunchChoice
  /** What the launch tries next if Azure refuses. Undefined if there is nothing else. */
  readonly nextBest?: LaunchChoice
  /** How many instance types the claim names. */
  readonly alternatives: number
  readonly cheaper: readonly Cheaper[]
}

/** A claim that the decision creates, or one that is there, and why it is what it is. */
export type ClaimExplanation = { readonly kind: 'new'; readonly claim: NewClaim } | StandingClaim

export type StandingClaim = {
  readonly kind: 'there'
  readonly name: NodeClaimName
  readonly node?: NodeName
  readonly pool?: string
  readonly stage: ClaimStage
  /** Why the claim is removed, from its condition `DisruptionReason`. Undefined if nothing says it. */
  readonly removedBecause?: string
  /** The number of the decision that made the claim. */
  readonly decision?: string
  /** What the claim was launched as, or what a launch would take now. Undefined if that is not known, or if nothing can be bought. */
  readonly choice?: LaunchChoice
  /** How many instance types the claim names. Undefined if it names none. */
  readonly sizes?: number
  readonly running: readonly ObjectKey[]
  /** Pods without a node that the plan places on the machine. */
  readonly expected: readonly ObjectKey[]
  /** Offerings that cost less. Of a node that is ready they are measured by its pods, before that by the claim. */
  readonly cheaper: readonly Cheaper[]
  /** Undefined unless the machine is being removed. */
  readonly drain?: Drain
  /** Undefined if disruption has decided nothing about the node, or was not asked. */
  readonly disruption?: DisruptionVerdict
}

export type ClaimStage = 'draft' | 'created' | 'launched' | 'registered' | 'initialized' | 'deleting'

/** The sizes of a NodePool that cost less and are not taken for one reason. `choice` and `because` are of the offering that comes closest. */
export type Cheaper = {
  readonly pool: string
  /** Sorted by name. A size that is sold in several zones or capacity types is there once. */
  readonly sizes: readonly VmSizeName[]
  readonly choice: LaunchChoice
  readonly because: NotTaken
}

export type NotTaken =
  | Verdict
  /** Azure refused the offering lately, so many times in a row, and is not asked again before `until`. */
  | {
      readonly kind: 'blocked'
      readonly code: ProblemCode
      readonly times: number
      readonly until: EpochMs
      readonly message: string
    }
  /** Machines of the size failed lately in the region, so it is weighed at a multiple of its price until then. */
  | { readonly kind: 'demoted'; readonly because: SizeFailure; readonly until: EpochMs }
  /** The NodePool has less weight than the NodePool that takes the pods. */
  | { readonly kind: 'weight'; readonly weight: number; readonly chosen: number }
  /** No check refuses the offering. The plan takes another one: all pods together cost less, or first fit does not look at prices. */
  | { readonly kind: 'plan'; readonly placement: 'price' | 'firstFit' }
  /** No check refuses the offering now, measured by the pods on the node or by the claim. The pods or what can be bought have changed since. */
  | { readonly kind: 'now'; readonly by: 'pods' | 'claim' }
  /** No check refuses the offering. But its pods have rules about neighbours, which may not hold in another domain of the label. */
  | { readonly kind: 'rules'; readonly label: string }
