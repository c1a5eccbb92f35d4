import type { ClusterId, NodeClaimName, NodeName, Uid } from './ids.ts'
import type { Node } from './node.ts'
import type { NodeClaim } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { NodeOverlay } from './nodeOverlay.ts'
import type { NodePool } from './nodePool.ts'
import { durationMs, type EpochMs } from './units.ts'

/** The queue can delay a message for at most seven days. */
export const LONGEST_DELAY = durationMs(7 * 24 * 3_600_000)

/** Message of the `reconcile` queue: look at the cluster again. It may be lost, duplicated or late. */
export type Doorbell = {
  readonly kind: 'doorbell'
  readonly cluster: ClusterId
  readonly because: 'changes' | 'resync' | 'disruption' | 'interruption' | 'capacity' | 'retry' | 'wake'
  /** Time of the earliest event behind the message. The batch window is counted from it. */
  readonly eventAt: EpochMs
  /** Closes the batch window at once. */
  readonly urgent: boolean
  /** Number of unschedulable pods among the changes. Undefined: none. */
  readonly pendingPods?: number
  /** The owners of the waiting pods. Undefined if there are too many or none. */
  readonly waiting?: WaitingPods
}

/** Uids of the owners of pods without a node. A pod without an owner has its own uid here. */
export type WaitingPods = {
  /** Owners with a pod that the scheduler has refused. */
  readonly refused: readonly Uid[]
  /** Owners with a pod that the scheduler has not tried yet. */
  readonly unseen: readonly Uid[]
}

/** Message of the `nodeclaim` queue: do one lifecycle step of one claim. */
export type ClaimMessage = {
  readonly kind: 'nodeClaim'
  readonly cluster: ClusterId
  readonly claim: NodeClaimName
  /** True in a chain that follows the claim by delayed messages. A message without it follows the claim only if its look does something. */
  readonly follow: boolean
  readonly sentAt: EpochMs
  /** Number of looks in this chain since the last look that did something. It sets the delay of the next message. */
  readonly attempt: number
  /** The trace of the claim, as a W3C `traceparent`, for telemetry about a claim that cannot be read. Undefined if it is not known. */
  readonly trace?: string
  /** Objects that the sender knew, so that a step that adds something need not read them. They may be old. */
  readonly known?: ClaimHints
}

/** Objects around a claim, as the sender saw them. The receiver reads what is missing. */
export type ClaimHints = {
  /** The message is about the claim's way to initialization only. It has no use once the claim is initialized. */
  readonly isComing?: boolean
  /** The claim as it was created, and the objects that determine its machine. */
  readonly launch?: LaunchHints
  /** The claim's node as the watch shows it. It can run pods. */
  readonly node?: Node
  /** Nodes under other names that carry the claim's provider id, as the watch shows them. Undefined if no search for them was made. */
  readonly otherNodes?: readonly NodeName[]
}

export type LaunchHints = {
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass
  readonly nodeOverlays: readonly NodeOverlay[]
  /** The claim's pool. Undefined if there are no overlays, since nothing else of the pool affects a launch. */
  readonly nodePool?: NodePool
}
