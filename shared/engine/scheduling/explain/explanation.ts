/** What a user can ask of a plan: plain data, all of it. */
import type { DisruptionVerdict } from '../../../model/disruptionVerdict.ts'
import type { NodeClaimName, NodeName, NodePoolName, ObjectKey } from '../../../model/ids.ts'
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PoolVerdict } from '../decision/poolVerdicts.ts'
import type { Verdict } from '../decision/verdict.ts'

/** What becomes of a pod, and why. */
export type PodExplanation =
  | PodPlanned
  | {
      readonly kind: 'running'
      readonly pod: ObjectKey
      readonly node: NodeName
      /** The node is on its way out. */
      readonly isDeleting: boolean
      /** What keeps the pod on a node that goes. */
      readonly heldBy: readonly Hold[]
      /** What made the node, and why it is what it is. Absent: no claim made it. */
      readonly claim?: StandingClaim
      /** When the pod came: before the claim, while its node was on the way, or once that was there. */
      readonly came?: 'beforeClaim' | 'beforeNode' | 'afterNode'
      /** Where it goes once the node that goes lets it. Absent: it stays to the end. */
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
      /** Of each pool the first stage that refuses. None: it is refused before any pool is asked. */
      readonly pools: readonly PoolVerdict[]
      readonly machines: readonly MachineRefusals[]
    }
  | ({ readonly kind: 'onMachine'; readonly pod: ObjectKey } & MachinePlace)
  | {
      readonly kind: 'onNewClaim'
      readonly pod: ObjectKey
      readonly claim: NewClaim
      readonly gaveUp: number
      /** Pools of more weight, which would have come first. */
      readonly pools: readonly PoolVerdict[]
      readonly machines: readonly MachineRefusals[]
    }

/** What keeps a pod from being evicted: a budget that allows nothing now, one of several, or an annotation. */
export type Hold = { readonly kind: 'budget' | 'oneOfSeveralBudgets' | 'annotation'; readonly name: string }

export type MachinePlace = {
  readonly machine: string
  /** Absent: a node that no claim made. */
  readonly claim?: NodeClaimName
  readonly stage: 'up' | 'comingUp' | 'notLaunched'
  /** An earlier decision promised it, and the promise is kept. */
  readonly isNominated: boolean
  /** So many of its preferences. */
  readonly gaveUp: number
}

/** Why nobody looks for a place. */
export type NotPlanned =
  | { readonly kind: 'gated'; readonly gates: readonly string[] }
  | { readonly kind: 'preempting'; readonly node: string }
  | { readonly kind: 'daemon' | 'mirror' | 'ended' | 'deleted' | 'untried' }

/** Machines that are there or on their way and refuse for one reason; the verdict is that of the one that comes closest. */
export type MachineRefusals = { readonly machines: number; readonly closest: string; readonly verdict: Verdict }

/** A machine that is to be made. */
export type NewClaim = {
  readonly name: NodeClaimName
  readonly pool: NodePoolName
  readonly pods: readonly ObjectKey[]
  readonly choice: LaunchChoice
  /** What comes after it when Azure refuses, and what it costs. */
  readonly nextBest?: LaunchChoice
  /** Sizes that would serve. */
  readonly alternatives: number
  readonly cheaper: readonly Cheaper[]
}

/** What becomes of a claim, and why it is what it is. */
export type ClaimExplanation = { readonly kind: 'new'; readonly claim: NewClaim } | StandingClaim

export type StandingClaim = {
  readonly kind: 'there'
  readonly name: NodeClaimName
  readonly node?: NodeName
  readonly pool?: string
  readonly stage: ClaimStage
  /** Number of the decision that made it. */
  readonly decision?: string
  /** What it was launched as, or what a launch would take now. Absent: not known. */
  readonly choice?: LaunchChoice
  /** Sizes that the claim names. */
  readonly sizes?: number
  readonly running: readonly ObjectKey[]
  /** Pods without a node that the plan sends there. */
  readonly expected: readonly ObjectKey[]
  /** Of a node that is up, by what it has and expects; before that, by what the claim asks for. */
  readonly cheaper: readonly Cheaper[]
  /** Absent: nothing is decided about its end, or nobody asked. */
  readonly disruption?: DisruptionVerdict
}

export type ClaimStage = 'draft' | 'created' | 'launched' | 'registered' | 'initialized' | 'deleting'

/** Offerings of a pool that cost less and are not taken for one reason; the choice is the one that comes closest. */
export type Cheaper = {
  readonly pool: string
  readonly offerings: number
  readonly choice: LaunchChoice
  readonly because: NotTaken
}

export type NotTaken =
  | Verdict
  /** Azure refused it lately, and is not asked again before. */
  | { readonly kind: 'blocked'; readonly code: ProblemCode; readonly until: EpochMs; readonly message: string }
  /** Its pool is for what heavier ones do not take. */
  | { readonly kind: 'weight'; readonly weight: number; readonly chosen: number }
  /** It would serve: the plan as a whole takes another. */
  | { readonly kind: 'plan'; readonly placement: 'price' | 'firstFit' }
  /** It would serve now, by what pods there need or by what the claim asks for: that has changed, or what can be bought. */
  | { readonly kind: 'now'; readonly by: 'pods' | 'claim' }
  /** It would serve but for rules about other pods, which elsewhere may not hold. */
  | { readonly kind: 'rules'; readonly label: string }
