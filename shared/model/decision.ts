import type { CapacityBufferStatus } from './capacityBuffer.ts'
import type { Condition } from './condition.ts'
import type { BackOff, DisruptionCommand } from './disruptionCommand.ts'
import type { NodeClaimName, NodeClassName, NodePoolName, ObjectKey, Uid } from './ids.ts'
import type { LaunchChoice } from './launchPlan.ts'
import type { Labels } from './meta.ts'
import type { MoveTurn } from './moveTurn.ts'
import type { NodeClaimDraft } from './nodeClaim.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { PodRef } from './podRef.ts'
import type { ProblemCode } from './problem.ts'
import type { Resources } from './resources.ts'
import type { EpochMs } from './units.ts'

/** What the engine returns: effects as data, in the order to apply them, and why. */
export type Decision = {
  readonly actions: readonly Action[]
  readonly reasons: readonly Reason[]
  /** When to decide again even if nothing changes. */
  readonly wakeAt?: EpochMs
  /** The last machine whose turn it was when moves were planned, while others wait for theirs. Absent: none waits. */
  readonly turn?: MoveTurn
}

export type Action =
  | CreateClaim
  | Nominate
  | DeleteClaim
  /** A move with replacements: its `createClaim` actions name it. */
  | { readonly kind: 'startCommand'; readonly command: DisruptionCommand }
  /** How a move under way stands from now on. */
  | { readonly kind: 'keepCommand'; readonly command: DisruptionCommand }
  /** A move is over. With `backOff` it came to nothing. */
  | { readonly kind: 'endCommand'; readonly command: DisruptionCommand; readonly message: string; readonly backOff?: BackOff }
  | OpenNode
  | RemoveReplacement
  /** What the claim says about its own end: annotations beside those it has, conditions as the whole new list. */
  | { readonly kind: 'markClaim'; readonly claim: NodeClaimName; readonly conditions?: readonly Condition[]; readonly annotations?: Labels }
  /** The machine has reached its age. */
  | { readonly kind: 'expireClaim'; readonly claim: NodeClaimName; readonly uid: Uid }
  /** Its pool keeps fewer machines than there are. */
  | { readonly kind: 'scaleDownClaim'; readonly claim: NodeClaimName; readonly uid: Uid }
  /** The machine is broken: its pods get no time to go. `because` is the condition of the node, as `Ready=False`. */
  | { readonly kind: 'repairClaim'; readonly claim: NodeClaimName; readonly uid: Uid; readonly because: string }
  | {
      readonly kind: 'patchNodePoolStatus'
      readonly nodePool: NodePoolName
      readonly conditions: readonly Condition[]
      readonly resources: Resources
      readonly nodes: number
      readonly nodeClassObservedGeneration?: number
    }
  | { readonly kind: 'patchNodeClassStatus'; readonly nodeClass: NodeClassName; readonly conditions: readonly Condition[] }
  | { readonly kind: 'patchNodeOverlayStatus'; readonly nodeOverlay: string; readonly conditions: readonly Condition[] }
  | { readonly kind: 'patchCapacityBufferStatus'; readonly capacityBuffer: ObjectKey; readonly status: CapacityBufferStatus }
  | { readonly kind: 'publish'; readonly event: ClusterEvent }

/** Pods are meant for a claim that is there already. */
export type Nominate = { readonly kind: 'nominate'; readonly claim: NodeClaimName; readonly pods: readonly PodRef[] }

/** Takes one machine away, as soon as its node is closed and live objects agree. */
export type DeleteClaim = {
  readonly kind: 'deleteClaim'
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly because: DisruptionReason
  readonly saves?: LaunchChoice
  /** Pods that the plan has placed elsewhere. Absent: none is expected on the node. */
  readonly pods?: readonly PodRef[]
  /** Id of the move under way that it is a step of. */
  readonly command?: string
}

/** No move takes the machine any more: taint and annotation of its node and the condition of its claim go. */
export type OpenNode = { readonly kind: 'openNode'; readonly claim: NodeClaimName; readonly uid: Uid }

/** A replacement that came to nothing with its move: it is not initialized, and nobody waits for it. */
export type RemoveReplacement = {
  readonly kind: 'removeReplacement'
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly command: string
}

export type CreateClaim = {
  readonly kind: 'createClaim'
  readonly draft: NodeClaimDraft
  /** Pods that are meant for it. */
  readonly pods: readonly PodRef[]
  /** What a launch would take now, and what comes after it. */
  readonly choice: LaunchChoice
  readonly nextBest?: LaunchChoice
  /** Instance types that would serve. */
  readonly alternatives: number
  /** Id of the command that it is a replacement for: created only once the command's candidates are marked. */
  readonly command?: string
}

/** One coded explanation about one object; `per` holds the reasons of its parts, for example one per NodePool. */
export type Reason = {
  readonly code: ProblemCode
  readonly subject: Subject
  readonly message: string
  readonly fields?: { readonly [name: string]: string | number | boolean }
  readonly per?: readonly Reason[]
}

export type Subject = {
  readonly kind: 'pod' | 'nodePool' | 'nodeClass' | 'nodeClaim' | 'node'
  /** `name`, or `namespace/name`. */
  readonly name: string
}

/** The API server refuses longer messages. */
export const LONGEST_EVENT_MESSAGE = 1024

/** A Kubernetes event to publish. The same said again, by whichever process, is one event whose count rises slowly. */
export type ClusterEvent = {
  readonly subject: Subject
  readonly uid?: Uid
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** What makes it the same event when the numbers in its message have changed. Absent: the message. */
  readonly key?: string
}
