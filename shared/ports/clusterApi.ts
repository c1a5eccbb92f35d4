import type { Result } from '../base/result.ts'
import type { CapacityBufferStatus } from '../model/capacityBuffer.ts'
import type { NodePatch } from '../model/claimStep.ts'
import type { Condition } from '../model/condition.ts'
import type { ClusterEvent, NodeClassStatusPatch } from '../model/decision.ts'
import type { NodeClaimName, NodeClassName, NodeName, NodePoolName, ObjectKey, Uid } from '../model/ids.ts'
import type { Labels } from '../model/labels.ts'
import type { Node } from '../model/node.ts'
import type { NodeClaim, NodeClaimDraft, NodeClaimStatus } from '../model/nodeClaim.ts'
import type { NodeClass } from '../model/nodeClass.ts'
import type { NodeOverlay, NodePool } from '../model/nodePool.ts'
import type { Pod, PodRef } from '../model/pod.ts'
import type { Problem } from '../model/problem.ts'
import type { Resources } from '../model/resources.ts'
import type { EpochMs } from '../model/units.ts'
import type { VolumeAttachment } from '../model/workloads.ts'
import type { AbortSignalLike } from './clock.ts'

/**
 * One cluster's API server, read live and written with preconditions. Expected refusals are returned as KUBE.NOT_FOUND, KUBE.CONFLICT, KUBE.INVALID
 * or KUBE.EVICTION_BLOCKED. Anything else is thrown as a Fault.
 */
export interface ClusterApi {
  getClaim(name: NodeClaimName, signal: AbortSignalLike): Promise<NodeClaim | undefined>
  listClaims(signal: AbortSignalLike, asOf?: AsOf): Promise<readonly NodeClaim[]>
  /**
   * Creates the claim with its owner reference to the pool. If the claim exists already, returns it. KUBE.INVALID: the server, or an admission webhook or
   * policy, does not accept this claim. KUBE.FORBIDDEN: the app may not create claims.
   */
  createClaim(draft: NodeClaimDraft, owner: NodePool | undefined, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  /** Guarded by the claim's uid and resourceVersion, or by its uid alone if the claim has no version. */
  patchClaim(claim: NodeClaim, patch: ClaimPatch, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  /** Guarded like `patchClaim`. */
  patchClaimStatus(claim: NodeClaim, status: NodeClaimStatus, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  /**
   * Guarded by uid. A claim that does not exist any more counts as deleted. Returns the claim as it is being deleted, or undefined if it is gone.
   */
  deleteClaim(name: NodeClaimName, uid: Uid, signal: AbortSignalLike): Promise<NodeClaim | undefined>

  getNodePool(name: NodePoolName, signal: AbortSignalLike): Promise<NodePool | undefined>
  patchNodePoolStatus(
    name: NodePoolName,
    status: {
      readonly conditions: readonly Condition[]
      readonly resources: Resources
      readonly nodes: number
      readonly nodeClassObservedGeneration?: number
    },
    signal: AbortSignalLike,
  ): Promise<Result<void, Problem>>
  /**
   * Adds these annotations and changes nothing else. KUBE.FORBIDDEN: the app may not write NodePools, or an admission policy refuses this write.
   */
  annotateNodePool(name: NodePoolName, annotations: Labels, signal: AbortSignalLike): Promise<Result<void, Problem>>
  getNodeClass(name: NodeClassName, signal: AbortSignalLike): Promise<NodeClass | undefined>
  /** Replaces the finalizers and changes nothing else. Guarded like `patchClaim`. KUBE.FORBIDDEN: as for `annotateNodePool`. */
  patchNodeClassFinalizers(nodeClass: NodeClass, finalizers: readonly string[], signal: AbortSignalLike): Promise<Result<void, Problem>>
  patchNodeClassStatus(name: NodeClassName, status: NodeClassStatusPatch, signal: AbortSignalLike): Promise<Result<void, Problem>>

  /** Empty if the CustomResourceDefinition is not installed. */
  listNodeOverlays(signal: AbortSignalLike): Promise<readonly NodeOverlay[]>
  patchNodeOverlayStatus(
    name: string,
    status: { readonly conditions: readonly Condition[] },
    signal: AbortSignalLike,
  ): Promise<Result<void, Problem>>
  patchCapacityBufferStatus(key: ObjectKey, status: CapacityBufferStatus, signal: AbortSignalLike): Promise<Result<void, Problem>>

  getNode(name: NodeName, signal: AbortSignalLike): Promise<Node | undefined>
  /** Guarded by uid and resourceVersion, or by uid alone if the node has no version. */
  patchNode(node: Node, patch: NodePatch, signal: AbortSignalLike): Promise<Result<Node, Problem>>
  getVolumeAttachment(name: string, signal: AbortSignalLike): Promise<VolumeAttachment | undefined>
  deleteNode(name: NodeName, uid: Uid, signal: AbortSignalLike): Promise<void>

  listPodsOn(node: NodeName, signal: AbortSignalLike, asOf?: AsOf): Promise<readonly Pod[]>
  /** The pods with this nominated node. They are not bound yet. */
  listPodsNominatedFor(node: NodeName, signal: AbortSignalLike): Promise<readonly Pod[]>
  /**
   * Why kube-scheduler does not bind the pod, in its own words. They may be empty. Undefined if the scheduler does not refuse the pod now, or if the
   * pod is bound or gone.
   */
  getSchedulerMessage(pod: PodRef, signal: AbortSignalLike): Promise<string | undefined>
  /**
   * Guarded by uid. Returns `gone` if the pod does not exist any more, or KUBE.EVICTION_BLOCKED if a budget forbids the eviction now. Its field
   * `budget` names the budget.
   */
  evict(pod: Pod, signal: AbortSignalLike): Promise<Result<'evicted' | 'gone', Problem>>
  /**
   * Writes the pod's deletion cost, or removes it if the cost is undefined. Guarded by uid. A pod that does not exist any
   * more counts as written. KUBE.FORBIDDEN: the app may not write pods, or an admission
   * policy refuses this write.
   */
  setDeletionCost(pod: PodRef, cost: string | undefined, signal: AbortSignalLike): Promise<Result<void, Problem>>
  deletePod(pod: Pod, gracePeriodSeconds: number, signal: AbortSignalLike): Promise<void>

  /**
   * Creates the bootstrap token of one launch of the claim and returns it as `id.secret`. The secret is stored nowhere else. Replaces an earlier
   * token of the same launch only, so that the token of a machine from another launch stays valid.
   */
  putBootstrapToken(claim: NodeClaimName, expiresAt: EpochMs, signal: AbortSignalLike, launch?: TokenLaunch): Promise<string>
  /** Deletes the tokens of the first `launches` launches of the claim. Default: one. */
  deleteBootstrapToken(claim: NodeClaimName, signal: AbortSignalLike, launches?: number): Promise<void>

  /**
   * Publishes an Event. Publications with the same subject, reason and key (without a key: message) are one Event, whichever process publishes it.
   * Repeated within five minutes, nothing is written. Later, its count rises. An Event that the API server refuses is no failure. `onFirstPublish` is
   * called unless another process is known to have created the Event. So what the Event tells of is counted once for all processes that publish it.
   */
  publish(event: ClusterEvent, signal: AbortSignalLike, onFirstPublish?: () => void): Promise<void>
}

/**
 * `now`, the default: includes everything that was written before the call. `recent`: read from the API server's watch cache, which costs etcd
 * nothing and may be moments old. A list that decides what to delete is read as of now.
 */
export type AsOf = 'now' | 'recent'

/**
 * A launch of the claim, counted from 1. Kubernetes deletes the token with the claim of this uid, even if the token is made after the claim's end.
 */
export type TokenLaunch = { readonly number: number; readonly uid: Uid }

export type ClaimPatch = {
  readonly labels?: Labels
  readonly annotations?: Labels
  /** Annotations to remove. */
  readonly annotationsGone?: readonly string[]
  /** The complete new list. */
  readonly finalizers?: readonly string[]
}

/** The calls for what users write: NodePools, NodeClasses, NodeOverlays and CapacityBuffers. */
export type PoolCalls = Pick<
  ClusterApi,
  | 'getNodePool'
  | 'patchNodePoolStatus'
  | 'annotateNodePool'
  | 'getNodeClass'
  | 'patchNodeClassFinalizers'
  | 'patchNodeClassStatus'
  | 'listNodeOverlays'
  | 'patchNodeOverlayStatus'
  | 'patchCapacityBufferStatus'
>
