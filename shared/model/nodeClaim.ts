import type { Condition } from './condition.ts'
import {
  instanceNameOf,
  type MachineNames,
  type NodeClaimName,
  type NodeName,
  type NodePoolName,
  nodeName,
  type ProviderId,
} from './ids.ts'
import { ANNOTATION, type Labels, type Meta } from './labels.ts'
import type { Node } from './node.ts'
import type { DurationOrNever, NodeClassRef, UnknownValues } from './nodePool.ts'
import type { RequirementSpec } from './requirements.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'
import { parseTimestamp } from './time.ts'
import type { DurationMs, EpochMs } from './units.ts'

/** The reason of VolumesDetached once the volumes of a drained machine have been attached for too long. */
export const VOLUMES_OVERDUE = 'VolumeDetachmentOverdue'

/** Condition of a claim whose machine differs from what its pool or class would make now. */
export const DRIFTED = 'Drifted'

/** A request for one machine and the record of its life. */
export type NodeClaim = {
  readonly name: NodeClaimName
  readonly meta: Meta
  readonly spec: NodeClaimSpec
  /** See `UnknownValues`. */
  readonly unknownValues?: UnknownValues
  readonly status: NodeClaimStatus
}

export type NodeClaimSpec = {
  readonly nodeClassRef: NodeClassRef
  readonly requirements: readonly RequirementSpec[]
  readonly requests: Resources
  readonly taints: readonly Taint[]
  readonly startupTaints: readonly Taint[]
  readonly expireAfter: DurationOrNever
  readonly terminationGracePeriod?: DurationMs
}

export type NodeClaimStatus = {
  readonly conditions: readonly Condition[]
  readonly nodeName?: NodeName
  readonly providerId?: ProviderId
  readonly imageId?: string
  readonly capacity: Resources
  readonly allocatable: Resources
  readonly lastPodEventAt?: EpochMs
}

/**
 * A claim that the engine proposes and that does not exist in the cluster yet. Its name is final and deterministic, so that a second creation finds
 * the first.
 */
export type NodeClaimDraft = {
  readonly name: NodeClaimName
  readonly nodePool: NodePoolName
  readonly labels: Labels
  readonly annotations: Labels
  readonly spec: NodeClaimSpec
}

/** Returns when all pods of an ending claim are gone at the latest. Undefined if no readable time is set: then the drain has no deadline. */
export function deadlineOf({ meta }: Pick<NodeClaim, 'meta'>): EpochMs | undefined {
  return parseTimestamp(meta.annotations[ANNOTATION.terminationTimestamp] ?? '')
}

/** Returns the name of the node that the claim's machine registered as, or will register as. */
export function nodeNameOf({ name, status }: NodeClaim, names: MachineNames): NodeName {
  return status.nodeName ?? nodeName(machineNameIn(status.providerId) ?? instanceNameOf(name, names))
}

/** Reports whether the node is one of the claim's machine. A claim without a provider id has no such node, not even one without a provider id. */
export function isNodeOf({ status }: Pick<NodeClaim, 'status'>, node: Pick<Node, 'providerId'>): boolean {
  return status.providerId !== undefined && node.providerId === status.providerId
}

/** Returns the machine name in a provider id. An existing machine keeps its name if the names of new machines change. */
export function machineNameIn(id: ProviderId | undefined): string | undefined {
  return id?.slice(id.lastIndexOf('/') + 1)
}

/** Karpenter's word for how long the drain of a claim may take: without an end, with one, or not at all. */
export function terminationModeOf({
  terminationGracePeriod,
}: Pick<NodeClaimSpec, 'terminationGracePeriod'>): 'graceful' | 'eventual' | 'forceful' {
  if (terminationGracePeriod === undefined) return 'graceful'
  return terminationGracePeriod <= 0 ? 'forceful' : 'eventual'
}
