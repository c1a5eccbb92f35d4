import type { DecisionSettings } from './clusterSnapshot.ts'
import type { Condition } from './condition.ts'
import type { ClusterEvent, Reason } from './decision.ts'
import type { NodeName, ObjectKey } from './ids.ts'
import type { Instance } from './instance.ts'
import type { InstanceType } from './instanceType.ts'
import type { LaunchPlan } from './launchPlan.ts'
import type { Labels } from './meta.ts'
import type { Node } from './node.ts'
import type { NodeClaim, NodeClaimStatus } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { Pod } from './pod.ts'
import type { ProblemCode } from './problem.ts'
import type { Taint } from './taint.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { EpochMs } from './units.ts'
import type { VolumeAttachment } from './workloads.ts'

/** Everything one lifecycle step of one claim may look at, read live. */
export type ClaimObservation = {
  readonly now: EpochMs
  readonly settings: DecisionSettings
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass | undefined
  /** Nodes with the claim's provider id, or its instance name while it has none. */
  readonly nodes: readonly Node[]
  /** Nodes of the machine under other names were looked for: those that are there stand behind its own one. Absent: nobody looked. */
  readonly otherNodes?: readonly NodeName[]
  /** Pods on those nodes, while they are to be moved; none at other times. */
  readonly pods: readonly Pod[]
  /** Volumes of drained nodes that the machine's end waits for. Absent: none, or the end has not come to that yet. */
  readonly volumeAttachments?: readonly VolumeAttachment[]
  /** `undefined`: Azure has no such VM. `unseen`: not asked. */
  readonly instance: Instance | undefined | 'unseen'
  /** What a launch has to choose from, and what it must not choose. Only while the claim is not launched. */
  readonly instanceTypes: readonly InstanceType[]
  readonly unavailable: readonly UnavailableOffering[]
}

/** What to do for the claim now, in order, and when to look again. */
export type ClaimStep = {
  readonly actions: readonly ClaimAction[]
  readonly reasons: readonly Reason[]
  /** Sooner than this another look can find nothing. Absent: there is nothing to wait for. */
  readonly wakeAt?: EpochMs
  /** Something has to be done at this time, however rarely the claim is looked at by now. */
  readonly dueAt?: EpochMs
}

export type ClaimAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'launch'; readonly plan: LaunchPlan }
  | { readonly kind: 'patchClaim'; readonly labels: Labels; readonly annotations: Labels }
  | { readonly kind: 'patchStatus'; readonly status: NodeClaimStatus }
  | { readonly kind: 'patchNode'; readonly node: Node; readonly patch: NodePatch }
  | { readonly kind: 'deleteBootstrapToken' }
  | { readonly kind: 'evictPod'; readonly pod: Pod }
  | { readonly kind: 'deletePod'; readonly pod: Pod; readonly gracePeriodSeconds: number }
  | { readonly kind: 'deleteNode'; readonly node: Node }
  | { readonly kind: 'terminateInstance' }
  | { readonly kind: 'removeNodeFinalizer'; readonly node: Node }
  | { readonly kind: 'removeFinalizer' }
  /** Ends the claim: its pods are planned again. */
  | { readonly kind: 'deleteClaim'; readonly code: ProblemCode; readonly message: string }
  | { readonly kind: 'markUnavailable'; readonly offerings: readonly UnavailableOffering[] }
  /** `ends`: the Event tells of the claim's end, for this cause. */
  | { readonly kind: 'publish'; readonly event: ClusterEvent; readonly ends?: ProblemCode }

/** A pod that the API server does not let go, and what it says holds it: `poddisruptionbudget default/web`. */
export type HeldPod = { readonly pod: ObjectKey; readonly by: string }

/** Members absent stay as they are. Labels and annotations go beside those that are there, taints and finalizers are the whole new list. */
export type NodePatch = {
  readonly labels?: Labels
  readonly annotations?: Labels
  /** Annotations that are not to be there. */
  readonly annotationsGone?: readonly string[]
  readonly taints?: readonly Taint[]
  readonly finalizers?: readonly string[]
  readonly ownerClaim?: { readonly name: string; readonly uid: string }
}

export type ConditionChange = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>
