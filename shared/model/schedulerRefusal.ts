import type { NodeName } from './ids.ts'
import type { PodRef } from './podRef.ts'
import type { EpochMs } from './units.ts'

/**
 * A pod that kube-scheduler leaves without a node, although a node that is up takes it by all rules that planning knows. The pod is watched at first.
 * If it stays without a node, the scheduler refuses it.
 */
export type SchedulerRefusal = {
  readonly pod: PodRef
  /** A hash of what the scheduler decides by: the spec of the pod and its volumes. With other inputs, the pod is planned as any other. */
  readonly inputs: string
  /** Undefined if planning has no node that is up for the pod. */
  readonly watched?: WatchedPod
  /** The newest refusal. Undefined if the pod is watched for the first time. */
  readonly refused?: RefusedPlace
}

export type WatchedPod = {
  /** Since when the pod could have been bound. */
  readonly begunAt: EpochMs
  /** The node that takes the pod, and since when no other pod was bound there. Undefined while the scheduler makes volumes for the pod. */
  readonly place?: { readonly node: NodeName; readonly since: EpochMs }
}

export type RefusedPlace = {
  readonly node: NodeName
  /** How often the scheduler has refused the pod. */
  readonly times: number
  /** No place is planned for the pod before this time. */
  readonly until: EpochMs
  /** The scheduler's own text. Undefined until it is read. */
  readonly message?: string
}

/** Reports whether the pod gets no place now, since the scheduler has refused it. */
export function isLeftOut({ refused }: SchedulerRefusal, now: EpochMs): boolean {
  return refused !== undefined && now < refused.until
}
