import type { CapacityBufferStatus } from './capacityBuffer.ts'
import type { SchedulerRefusal } from './claimRefusal.ts'
import type { ObjectKind } from './clusterObjects.ts'
import type { Condition } from './condition.ts'
import type { BackOff, BegunMove, DisruptionCommand, ExtraNodes, MoveRest, RepairCause } from './disruptionCommand.ts'
import type { NodeClaimName, NodeClassName, NodeName, NodePoolName, ObjectKey, Uid } from './ids.ts'
import type { LaunchChoice } from './instance.ts'
import type { Labels } from './labels.ts'
import type { NodeClaimDraft } from './nodeClaim.ts'
import type { NodeClass, NodeImage } from './nodeClass.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { Pod, PodRef } from './pod.ts'
import type { ProblemCode } from './problem.ts'
import type { Resources } from './resources.ts'
import type { EpochMs, MicroUsdPerHour } from './units.ts'

/** What the engine returns: the effects as data, in the order to apply them, and the reasons. */
export type Decision = {
  readonly actions: readonly Action[]
  readonly reasons: readonly Reason[]
  /** When to decide again even if nothing changes. */
  readonly wakeAt?: EpochMs
  /** The last machine that had its turn when moves were planned, if other machines still wait for theirs. Undefined if none waits. */
  readonly turn?: DisruptionCursor
  /** The first pod that the steps of this decision did not suffice for. The next decision begins there. Undefined if all pods had their turn. */
  readonly provisioningCursor?: ProvisioningCursor
  /** Pods that kube-scheduler does not bind where they were planned, as the next decision should know them. Undefined if there are none. */
  readonly schedulerRefusals?: readonly SchedulerRefusal[]
  /** Objects that the decision left out, since it fails with them. Undefined if there are none. */
  readonly leftOut?: readonly LeftOut[]
  /** Moves that begin now and that the calm settings must remember. Undefined if there are none. */
  readonly begunMoves?: readonly BegunMove[]
  readonly moveRests?: readonly MoveRest[]
  readonly extraNodes?: readonly ExtraNodes[]
}

export type Action =
  | CreateClaim
  | Nominate
  | DeleteClaim
  /** Starts a disruption command with replacements. Its `createClaim` actions carry its id. */
  | { readonly kind: 'startCommand'; readonly command: DisruptionCommand }
  /** Records the new state of a disruption command under way. */
  | { readonly kind: 'keepCommand'; readonly command: DisruptionCommand }
  /** Ends a disruption command. It has a `backOff` if the command failed. */
  | { readonly kind: 'endCommand'; readonly command: DisruptionCommand; readonly message: string; readonly backOff?: BackOff }
  | OpenNode
  | TaintPlanned
  | SetDeletionCosts
  | RemoveReplacement
  /** Writes the claim's disruption state: adds annotations and replaces the list of conditions. */
  | { readonly kind: 'markClaim'; readonly claim: NodeClaimName; readonly conditions?: readonly Condition[]; readonly annotations?: Labels }
  /** Deletes a claim that has reached its `expireAfter`. `pods`: the number of pods that need another place. */
  | { readonly kind: 'expireClaim'; readonly claim: NodeClaimName; readonly uid: Uid; readonly pods: number }
  /** Deletes a claim of a static pool that has more nodes than replicas. */
  | { readonly kind: 'scaleDownClaim'; readonly claim: NodeClaimName; readonly uid: Uid }
  /**
   * Deletes the claim of a broken machine at once, by the rules of `NODE_REPAIR=legacy`, or bounds the drain of one that is being deleted. `pods`: the
   * number of pods that need another place. Without a `terminationGracePeriod` they get no time.
   */
  | ({ readonly kind: 'repairClaim'; readonly claim: NodeClaimName; readonly uid: Uid; readonly pods: number } & RepairCause)
  | RebootClaim
  | {
      readonly kind: 'patchNodePoolStatus'
      readonly nodePool: NodePoolName
      readonly conditions: readonly Condition[]
      readonly resources: Resources
      readonly nodes: number
      readonly nodeClassObservedGeneration?: number
    }
  /** Adds annotations to a NodePool, for people and tools. */
  | { readonly kind: 'annotateNodePool'; readonly nodePool: NodePoolName; readonly annotations: Labels }
  /** Gives a NodeClass its finalizer, or takes it away from one that is being deleted once no NodeClaim refers to it. */
  | { readonly kind: 'holdNodeClass' | 'releaseNodeClass'; readonly nodeClass: NodeClassName }
  | ({ readonly kind: 'patchNodeClassStatus'; readonly nodeClass: NodeClassName } & NodeClassStatusPatch)
  | { readonly kind: 'patchNodeOverlayStatus'; readonly nodeOverlay: string; readonly conditions: readonly Condition[] }
  | { readonly kind: 'patchCapacityBufferStatus'; readonly capacityBuffer: ObjectKey; readonly status: CapacityBufferStatus }
  | { readonly kind: 'publish'; readonly event: ClusterEvent }

/** The conditions of a NodeClass. Version, images and state of local DNS are undefined if they stay as they are. */
export type NodeClassStatusPatch = {
  readonly conditions: readonly Condition[]
  readonly kubernetesVersion?: string
  readonly images?: readonly NodeImage[]
  readonly localDnsState?: NonNullable<NodeClass['status']['localDnsState']>
}

/** Promises pods to a claim that exists already. */
export type Nominate = { readonly kind: 'nominate'; readonly claim: NodeClaimName; readonly pods: readonly PodRef[] }

/** Why a claim of the pool ends before another comes in its place, by Karpenter's word for it. */
export type TerminatesFirst = { readonly pool: NodePoolName; readonly why: 'static-at-limit' }

/** Deletes one claim, once its node is tainted and the live objects allow it. */
export type DeleteClaim = {
  readonly kind: 'deleteClaim'
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly because: DisruptionReason
  readonly saves?: LaunchChoice
  /** Pods that the plan has placed elsewhere. Undefined if no pod is expected on the node. */
  readonly pods?: readonly PodRef[]
  /** Another claim comes once this one is gone. Undefined if none has to. */
  readonly terminatesFirst?: TerminatesFirst
  /** Id of the disruption command under way that this action belongs to. */
  readonly command?: string
  /** What a repair is made for. Its bound is written to the claim right before the deletion. */
  readonly repair?: RepairCause
}

/** Commits to the reboot of a broken node in place. Its claim stays, and nothing is launched. */
export type RebootClaim = {
  readonly kind: 'rebootClaim'
  readonly claim: NodeClaimName
  readonly uid: Uid
  /** What asks for the reboot: type and reason of the condition, as `Ready/KubeletStuck`. */
  readonly because: string
  /** The number of pods that need another place. */
  readonly pods: number
} & RepairCause

/** Undoes the marks of a node that no command removes any more: its taint, its annotation and the condition of its claim. */
export type OpenNode = { readonly kind: 'openNode'; readonly claim: NodeClaimName; readonly uid: Uid }

/** Gives a node the taint of nodes that are planned to go, with this time of the plan. Without a time, the taint is removed. */
export type TaintPlanned = { readonly kind: 'taintPlanned'; readonly node: NodeName; readonly uid: Uid; readonly plannedAt?: EpochMs }

/**
 * Gives pods of one node this deletion cost, unless they have one. Without a cost, Joiner's deletion cost is removed from them. `uid` is the
 * uid of the node.
 */
export type SetDeletionCosts = {
  readonly kind: 'setDeletionCosts'
  readonly node: NodeName
  readonly uid: Uid
  readonly pods: readonly PodRef[]
  readonly cost?: string
}

/** Deletes a replacement of a failed disruption command: it is not initialized, and no other pod was promised to it. */
export type RemoveReplacement = {
  readonly kind: 'removeReplacement'
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly command: string
}

export type CreateClaim = {
  readonly kind: 'createClaim'
  readonly draft: NodeClaimDraft
  /** Pods that are meant for the claim. */
  readonly pods: readonly PodRef[]
  /** CapacityBuffers that the claim keeps room for, by key. Undefined if there are none. */
  readonly buffers?: readonly BufferShare[]
  /** What a launch would choose now, and the next best choice. */
  readonly choice: LaunchChoice
  readonly nextBest?: LaunchChoice
  /** Number of instance types that would serve. */
  readonly alternatives: number
  /** Id of the disruption command that the claim is a replacement for. The claim is created only when the command's candidates are marked. */
  readonly command?: string
}

/** The pods of a CapacityBuffer that a claim keeps room for, and all pods of the buffer. */
export type BufferShare = { readonly buffer: ObjectKey; readonly pods: number; readonly of: number }

/** One coded explanation about one object. `per` holds the reasons of its parts, for example one per NodePool. */
export type Reason = {
  readonly code: ProblemCode
  readonly subject: Subject
  readonly message: string
  readonly fields?: { readonly [name: string]: string | number | boolean }
  readonly per?: readonly Reason[]
}

export type Subject = {
  readonly kind: 'pod' | 'nodePool' | 'nodeClass' | 'nodeClaim' | 'node' | 'nodeOverlay' | 'capacityBuffer'
  /** `name`, or `namespace/name`. */
  readonly name: string
}

/** The API server's limit for the message of an Event, in bytes. */
export const LONGEST_EVENT_MESSAGE = 1024

/** A Kubernetes Event to publish. Repeated Events are one Event with a count, whichever process publishes them. */
export type ClusterEvent = {
  readonly subject: Subject
  readonly uid?: Uid
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Identifies the Event when the numbers in its message change. Undefined: the message identifies it. */
  readonly key?: string
}

/**
 * A position in the order in which machines with pods are considered for disruption. Drifted machines come first, the longest drifted before the
 * others. Then machines follow by the ratio of saving to disruption cost. Smaller ranks come first. Machines of equal rank are ordered by claim name.
 */
export type DisruptionCursor = { readonly isDrifted: boolean; readonly rank: number; readonly claim: NodeClaimName }

/** A place in the order in which waiting pods are planned: the place of a pod with this size and age. The pod itself may be gone. */
export type ProvisioningCursor = Pick<Pod, 'requests' | 'createdAt' | 'uid'>

/** What disruption does with one machine. */
export type DisruptionVerdict =
  /** The machine stays. Holds the first rule that prevented every move of it, with its numbers. */
  | ({ readonly kind: 'stays' } & Pick<Reason, 'code' | 'message' | 'fields'>)
  /** A decision made now removes the machine. */
  | {
      readonly kind: 'next'
      readonly reason: DisruptionReason
      /** Number of nodes that are removed together, including this one, and number of their pods that need another place. */
      readonly nodes: number
      readonly pods: number
      readonly replacements: readonly NodeClaimName[]
      /** Undefined if some price is not known. */
      readonly saving?: MicroUsdPerHour
    }
  /** A disruption command under way removes the machine. */
  | { readonly kind: 'moving'; readonly command: DisruptionCommand }

/** An object that a decision left out, since the decision about a cluster with it fails. That is a bug of Joiner: the object may be valid. */
export type LeftOut = {
  readonly kind: ObjectKind | 'instanceType'
  /** `name` or `namespace/name`. Instance types: `nodeclass/size`. Empty if it cannot be read. */
  readonly name: string
  /** How the decision failed. */
  readonly failure: string
}

/** The names of the claims that the actions end at once. Candidates of a command that starts are not among them. */
export function endedBy(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(ofKind(actions, 'deleteClaim', 'expireClaim', 'repairClaim', 'scaleDownClaim').map(({ claim }) => claim))
}

/** The names of the claims that the action moves away: it deletes a claim, or starts a command with candidates. */
export function claimsMovedBy(action: Action): readonly string[] {
  if (action.kind === 'deleteClaim') return [action.claim]
  return action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []
}

/** The actions of these kinds. */
export function ofKind<Kind extends Action['kind']>(
  actions: readonly Action[],
  ...kinds: readonly Kind[]
): readonly Extract<Action, { readonly kind: Kind }>[] {
  return actions.filter((action): action is Extract<Action, { readonly kind: Kind }> => kinds.some((kind) => kind === action.kind))
}
