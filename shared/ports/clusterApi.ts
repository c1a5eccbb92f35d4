import type { Result } from '../base/result.ts'
import type { CapacityBufferStatus } from '../model/capacityBuffer.ts'
import type { NodePatch } from '../model/claimStep.ts'
import type { Condition } from '../model/condition.ts'
import type { ClusterEvent } from '../model/decision.ts'
import type { NodeClaimName, NodeClassName, NodeName, NodePoolName, ObjectKey, Uid } from '../model/ids.ts'
import type { Labels } from '../model/meta.ts'
import type { Node } from '../model/node.ts'
import type { NodeClaim, NodeClaimDraft, NodeClaimStatus } from '../model/nodeClaim.ts'
import type { NodeClass } from '../model/nodeClass.ts'
import type { NodeOverlay } from '../model/nodeOverlay.ts'
import type { NodePool } from '../model/nodePool.ts'
import type { Pod } from '../model/pod.ts'
import type { Problem } from '../model/problem.ts'
import type { Resources } from '../model/resources.ts'
import type { EpochMs } from '../model/units.ts'
import type { VolumeAttachment } from '../model/workloads.ts'
import type { AbortSignalLike } from './clock.ts'

/**
 * One cluster's API server, read live and written with preconditions. Expected refusals come back as KUBE.NOT_FOUND,
 * KUBE.CONFLICT, KUBE.INVALID or KUBE.EVICTION_BLOCKED; anything else is thrown as a Fault.
 */
export interface ClusterApi {
  getClaim(name: NodeClaimName, signal: AbortSignalLike): Promise<NodeClaim | undefined>
  listClaims(signal: AbortSignalLike, asOf?: AsOf): Promise<readonly NodeClaim[]>
  /** Creates the claim with its owner reference to the pool; one that exists already is the answer, not an error. */
  createClaim(draft: NodeClaimDraft, owner: NodePool | undefined, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  /** Guarded by the claim's uid and resourceVersion. */
  patchClaim(claim: NodeClaim, patch: ClaimPatch, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  patchClaimStatus(claim: NodeClaim, status: NodeClaimStatus, signal: AbortSignalLike): Promise<Result<NodeClaim, Problem>>
  /** Guarded by uid. One that is gone counts as done. */
  deleteClaim(name: NodeClaimName, uid: Uid, signal: AbortSignalLike): Promise<void>

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
  getNodeClass(name: NodeClassName, signal: AbortSignalLike): Promise<NodeClass | undefined>
  patchNodeClassStatus(
    name: NodeClassName,
    status: { readonly conditions: readonly Condition[] },
    signal: AbortSignalLike,
  ): Promise<Result<void, Problem>>

  /** None where the definition is not installed. */
  listNodeOverlays(signal: AbortSignalLike): Promise<readonly NodeOverlay[]>
  patchNodeOverlayStatus(
    name: string,
    status: { readonly conditions: readonly Condition[] },
    signal: AbortSignalLike,
  ): Promise<Result<void, Problem>>
  patchCapacityBufferStatus(key: ObjectKey, status: CapacityBufferStatus, signal: AbortSignalLike): Promise<Result<void, Problem>>

  getNode(name: NodeName, signal: AbortSignalLike): Promise<Node | undefined>
  /** Guarded by uid and resourceVersion. */
  patchNode(node: Node, patch: NodePatch, signal: AbortSignalLike): Promise<Result<Node, Problem>>
  getVolumeAttachment(name: string, signal: AbortSignalLike): Promise<VolumeAttachment | undefined>
  deleteNode(name: NodeName, uid: Uid, signal: AbortSignalLike): Promise<void>

  listPodsOn(node: NodeName, signal: AbortSignalLike, asOf?: AsOf): Promise<readonly Pod[]>
  /** Guarded by uid. `gone` when there is no such pod any more; KUBE.EVICTION_BLOCKED when a budget forbids it now, which its field `budget` names. */
  evict(pod: Pod, signal: AbortSignalLike): Promise<Result<'evicted' | 'gone', Problem>>
  deletePod(pod: Pod, gracePeriodSeconds: number, signal: AbortSignalLike): Promise<void>

  /**
   * Makes the bootstrap token of one launch of the claim, replacing an earlier one of the same launch only: a machine that
   * another launch made goes on knowing a good one. Answers `id.secret`, never stored elsewhere.
   */
  putBootstrapToken(claim: NodeClaimName, expiresAt: EpochMs, signal: AbortSignalLike, launch?: TokenLaunch): Promise<string>
  /** Takes away the tokens of this many launches; default: one. */
  deleteBootstrapToken(claim: NodeClaimName, signal: AbortSignalLike, launches?: number): Promise<void>

  /**
   * Same subject, reason and key (or message, without a key) are one Event, whoever publishes it: said again within five
   * minutes nothing is written, later its count rises. An API server that will not have the Event is no failure.
   * `unlessSaid` is called unless another process is known to have created the Event. What the Event tells of is counted there,
   * once for all processes that publish it.
   */
  publish(event: ClusterEvent, signal: AbortSignalLike, unlessSaid?: () => void): Promise<void>
}

/**
 * `now`, the default: everything that was written before the call. `recent`: what the API server has in memory, which costs its database
 * nothing and may be moments old. What is taken away on the word of a list is listed as of now.
 */
export type AsOf = 'now' | 'recent'

/** Which launch of the claim, counted from 1. With the claim's uid the token goes with the claim, also when it is made after the claim's end. */
export type TokenLaunch = { readonly number: number; readonly uid: Uid }

export type ClaimPatch = {
  readonly labels?: Labels
  readonly annotations?: Labels
  /** The whole new list. */
  readonly finalizers?: readonly string[]
}

/** The part about what users write: pools, classes, overlays and buffers. */
export type PoolCalls = Pick<
  ClusterApi,
  | 'getNodePool'
  | 'patchNodePoolStatus'
  | 'getNodeClass'
  | 'patchNodeClassStatus'
  | 'listNodeOverlays'
  | 'patchNodeOverlayStatus'
  | 'patchCapacityBufferStatus'
>
