import type { NodeClaimName, NodeName, Uid } from './ids.ts'
import type { Node } from './node.ts'
import type { NodeClaim } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { NodeOverlay, NodePool } from './nodePool.ts'
import type { EpochMs } from './units.ts'

/** What a process works on: the decisions of a cluster, the compaction of its log, or one claim. */
export type WorkKey = 'decide' | 'compact' | `claim/${NodeClaimName}`

/** What a decision must know of the reason for it. */
export type DecideRequest = {
  readonly because: 'changes' | 'resync' | 'interruption' | 'capacity'
  /** Time of the earliest event behind the request. */
  readonly eventAt: EpochMs
  /** Times of the earliest and latest events of waiting pods. The batch window is counted from them. Undefined: from `eventAt`. */
  readonly podEvents?: { readonly first: EpochMs; readonly last: EpochMs }
  /** Number of unschedulable pods among the changes. Undefined: none. */
  readonly pendingPods?: number
  /** The owners of the waiting pods. Undefined: none. */
  readonly waiting?: WaitingPods
}

/** Uids of the owners of pods without a node. A pod without an owner has its own uid here. */
export type WaitingPods = {
  /** Owners with a pod that the scheduler has refused. */
  readonly refused: readonly Uid[]
  /** Owners with a pod that the scheduler has not tried yet. */
  readonly unseen: readonly Uid[]
}

/** What the next run of a claim must know of the reasons for it. */
export type ClaimRequest = {
  readonly claim: NodeClaimName
  /**
   * `requeue`: an earlier run asked for it, and nothing has happened since as far as this process knows. `resync`: work that was lost is to be found, so
   * everything is read.
   */
  readonly because: 'requeue' | 'news' | 'resync'
  /** The run asks for the next one. Without it, it does so only if it changed something. */
  readonly isFollowed: boolean
  /** Number of requeues since the last run that changed something. It sets the pause before the next one. */
  readonly attempt: number
  /** The trace of the claim, as a W3C `traceparent`, for telemetry about a claim that cannot be read. Undefined if it is not known. */
  readonly trace?: string
  /** Objects that are known, so that a step that adds something need not read them. They may be old. Undefined: everything is read. */
  readonly known?: KnownObjects
}

/** Objects around a claim, as this process saw them. The run reads what is missing. */
export type KnownObjects = {
  /** The run is about the claim's way to initialization only. It has no use once the claim is initialized. */
  readonly isComing?: boolean
  /** The claim as it was created, and the objects that determine its machine. */
  readonly launch?: KnownForLaunch
  /** The claim's node as the watch shows it. It can run pods. */
  readonly node?: Node
  /** Nodes under other names that carry the claim's provider id, as the watch shows them. Undefined if no search for them was made. */
  readonly otherNodes?: readonly NodeName[]
}

export type KnownForLaunch = {
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass
  readonly nodeOverlays: readonly NodeOverlay[]
  /** The claim's pool. Undefined if there are no overlays, since nothing else of the pool affects a launch. */
  readonly nodePool?: NodePool
}

export function claimKey(claim: NodeClaimName): WorkKey {
  return `claim/${claim}`
}
