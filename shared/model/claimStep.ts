import type { DecisionSettings } from './clusterSnapshot.ts'
import type { Condition } from './condition.ts'
import type { ClusterEvent, Reason } from './decision.ts'
import type { NodeName, ObjectKey } from './ids.ts'
import type { Instance, LaunchPlan } from './instance.ts'
import type { InstanceType } from './instanceType.ts'
import type { Labels } from './labels.ts'
import type { Node } from './node.ts'
import type { NodeClaim, NodeClaimStatus } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { Pod } from './pod.ts'
import type { Problem, ProblemCode } from './problem.ts'
import type { RebootResult } from './reboot.ts'
import type { DemotedSize, SizeFailure } from './sizeReport.ts'
import type { Taint } from './taint.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { DurationMs, EpochMs } from './units.ts'
import type { VolumeAttachment } from './workloads.ts'

/** Everything that one lifecycle step of one claim may look at, read live. */
export type ClaimObservation = {
  readonly now: EpochMs
  readonly settings: DecisionSettings
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass | undefined
  /** Nodes with the claim's provider id. While the claim has no provider id: nodes with the claim's instance name. */
  readonly nodes: readonly Node[]
  /** Nodes of the machine under other names. Those that exist follow its own node in `nodes`. Undefined if no search for them was made. */
  readonly otherNodes?: readonly NodeName[]
  /** Pods on those nodes. Only filled while the nodes are drained. */
  readonly pods: readonly Pod[]
  /** Volumes of drained nodes that termination waits for. Undefined if there are none, or if termination has not reached this stage. */
  readonly volumeAttachments?: readonly VolumeAttachment[]
  /** `undefined` if Azure has no such VM, `unseen` if Azure was not asked. */
  readonly instance: Instance | undefined | 'unseen'
  /** Why no machine can be restarted. Only asked for before a node is drained for a reboot. */
  readonly restartProblem?: Problem
  /** The instance types that a launch may choose from, and the blocked offerings. Only filled while the claim is not launched. */
  readonly instanceTypes: readonly InstanceType[]
  readonly unavailable: readonly UnavailableOffering[]
  /** Sizes that are weighed at a multiple of their price. Undefined: none. */
  readonly demoted?: readonly DemotedSize[]
}

/** The actions for the claim now, in order, and the time of the next look. */
export type ClaimStep = {
  readonly actions: readonly ClaimAction[]
  readonly reasons: readonly Reason[]
  /** A look before this time finds nothing to do. Undefined if there is nothing to wait for. */
  readonly wakeAt?: EpochMs
  /** Something has to be done at this time, however low the frequency of looks is by now. */
  readonly dueAt?: EpochMs
}

export type ClaimAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'launch'; readonly plan: LaunchPlan }
  | {
      readonly kind: 'patchClaim'
      readonly labels: Labels
      readonly annotations: Labels
      readonly annotationsGone?: readonly string[]
    }
  /** `reboot`: the status ends a reboot. */
  | { readonly kind: 'patchStatus'; readonly status: NodeClaimStatus; readonly reboot?: RebootEnd }
  | { readonly kind: 'patchNode'; readonly node: Node; readonly patch: NodePatch }
  | { readonly kind: 'deleteBootstrapToken' }
  | { readonly kind: 'evictPod'; readonly pod: Pod }
  | { readonly kind: 'deletePod'; readonly pod: Pod; readonly gracePeriodSeconds: number }
  | { readonly kind: 'deleteNode'; readonly node: Node }
  | { readonly kind: 'terminateInstance' }
  /** Asks Azure to restart the machine, and writes what Azure answered. */
  | { readonly kind: 'restartMachine' }
  | { readonly kind: 'removeNodeFinalizer'; readonly node: Node }
  | { readonly kind: 'removeFinalizer' }
  /** Deletes the claim. Its pods are planned again. */
  | { readonly kind: 'deleteClaim'; readonly code: ProblemCode; readonly message: string }
  /** `isOwn`: Azure did not refuse the offerings. They are blocked for the cluster of the claim only. */
  | { readonly kind: 'markUnavailable'; readonly offerings: readonly UnavailableOffering[]; readonly isOwn?: true }
  /** What the machine says about its size by its end. The flow adds the cluster. */
  | { readonly kind: 'reportSize'; readonly failure: SizeFailure }
  /** `ends`: the cause, if the Event reports the claim's end. */
  | { readonly kind: 'publish'; readonly event: ClusterEvent; readonly ends?: ProblemCode }

/** How a reboot ended, and how long it took: from its request, and from the restart until the node was ready again. */
export type RebootEnd = { readonly result: RebootResult; readonly tookMs: DurationMs; readonly recoveryMs?: DurationMs }

/** A pod that the API server does not evict, and the object that blocks the eviction: `poddisruptionbudget default/web`. */
export type HeldPod = { readonly pod: ObjectKey; readonly by: string }

/** Absent members stay unchanged. Labels and annotations are merged into the existing ones. Taints and finalizers are the complete new list. */
export type NodePatch = {
  readonly labels?: Labels
  /** Labels to remove. */
  readonly labelsGone?: readonly string[]
  readonly annotations?: Labels
  /** Annotations to remove. */
  readonly annotationsGone?: readonly string[]
  readonly taints?: readonly Taint[]
  readonly finalizers?: readonly string[]
  readonly ownerClaim?: { readonly name: string; readonly uid: string }
}

export type ConditionChange = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>
