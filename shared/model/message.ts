import type { ClusterId, NodeClaimName, NodeName, Uid } from './ids.ts'
import type { Node } from './node.ts'
import type { NodeClaim } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { NodeOverlay } from './nodeOverlay.ts'
import type { NodePool } from './nodePool.ts'
import { durationMs, type EpochMs } from './units.ts'

/** A message can be kept back for seven days and no longer. */
export const LONGEST_DELAY = durationMs(7 * 24 * 3_600_000)

/** `reconcile` queue: look at the cluster again. A hint: it may be lost, doubled or late. */
export type Doorbell = {
  readonly kind: 'doorbell'
  readonly cluster: ClusterId
  readonly because: 'changes' | 'resync' | 'disruption' | 'interruption' | 'capacity' | 'retry' | 'wake'
  /** Earliest event behind it: anchors the batch window. */
  readonly eventAt: EpochMs
  /** Closes the batch window at once. */
  readonly urgent: boolean
  /** Unschedulable pods among the changes. Absent: none. */
  readonly pendingPods?: number
  /** Whose pods wait. Absent: too many to tell, or nobody's. */
  readonly waiting?: WaitingPods
}

/** Uids of the owners of pods without a node; of a pod that nobody owns its own. */
export type WaitingPods = {
  /** The scheduler has refused a pod of theirs. */
  readonly refused: readonly Uid[]
  /** The scheduler has not looked at a pod of theirs yet. */
  readonly unseen: readonly Uid[]
}

/** `nodeclaim` queue: one lifecycle step of one claim. */
export type ClaimMessage = {
  readonly kind: 'nodeClaim'
  readonly cluster: ClusterId
  readonly claim: NodeClaimName
  /** True on a chain that follows the claim by delayed messages; a hint follows it only when its look does something. */
  readonly follow: boolean
  readonly sentAt: EpochMs
  /** Looks of this chain since the last one that did something: sets the pace. */
  readonly attempt: number
  /** The trace of the claim, as a W3C `traceparent`, for what is told of a claim that cannot be read. Absent: it is not known. */
  readonly trace?: string
  /** What the sender knew, so that a step that adds something need not read it. It may be old. */
  readonly known?: KnownOfClaim
}

/** Objects around a claim as somebody saw them who had them at hand. Every member may be missing, and is read where it is needed. */
export type KnownOfClaim = {
  /** The claim was on its way in when this was sent, and it is about nothing else. */
  readonly isComing?: boolean
  /** As it was made, and what its machine is chosen by. */
  readonly launch?: KnownForLaunch
  /** The claim's node, as the watch shows it: it can run pods. */
  readonly node?: Node
  /** Nodes under other names that carry the claim's provider id, as the watch shows them. Absent: nobody looked. */
  readonly otherNodes?: readonly NodeName[]
}

export type KnownForLaunch = {
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass
  readonly nodeOverlays: readonly NodeOverlay[]
  /** The claim's. Not told where there are no overlays: nothing else of it matters to a launch. */
  readonly nodePool?: NodePool
}
