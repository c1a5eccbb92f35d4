import type { Condition } from './condition.ts'
import type { NodeName, ObjectKey, Uid } from './ids.ts'
import type { Labels } from './meta.ts'
import type { LabelSelector, Pod } from './pod.ts'

/** A DaemonSet, as the pod its template would make on a node. */
export type DaemonSet = { readonly key: ObjectKey; readonly uid: Uid; readonly pod: Pod }

export type PodDisruptionBudget = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly selector?: LabelSelector
  readonly disruptionsAllowed: number
  /** Healthy pods there are, and the fewest that the budget asks for. Absent: its controller has not counted yet. */
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  /** Pods that the budget counts on: those of the scales that own its pods. */
  readonly expectedPods?: number
  readonly unhealthyPodEvictionPolicy: 'IfHealthyBudget' | 'AlwaysAllow'
  readonly conditions: readonly Condition[]
  /** `2` or `50%`, as written. */
  readonly minAvailable?: string
  readonly maxUnavailable?: string
}

export type Namespace = { readonly name: string; readonly uid: Uid; readonly labels: Labels }

export type PersistentVolumeClaim = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly deleted: boolean
  /** It names a volume, but nobody has confirmed the binding yet. */
  readonly isBinding?: boolean
  /** The volume it was bound to is gone. */
  readonly isLost?: boolean
}

export type PersistentVolume = {
  readonly name: string
  readonly uid: Uid
  readonly driver?: string
  /** Alternatives, as label requirements. Absent: any node. */
  readonly nodeTerms?: NonNullable<Pod['requiredNodeTerms']>
  readonly deleted?: boolean
}

export type StorageClass = {
  readonly name: string
  readonly uid: Uid
  readonly provisioner: string
  readonly bindingMode: 'Immediate' | 'WaitForFirstConsumer'
  readonly isDefault: boolean
  readonly createdAt: number
  readonly allowedTopologies: readonly (readonly { readonly key: string; readonly values: readonly string[] }[])[]
}

/** Attach limits of a node by CSI driver. */
export type CsiNode = { readonly name: NodeName; readonly uid: Uid; readonly limits: { readonly [driver: string]: number } }

/** A volume that is attached to a node, or on its way there or away: the object goes once the volume is detached. */
export type VolumeAttachment = {
  readonly name: string
  readonly uid: Uid
  readonly node: NodeName
  /** The PersistentVolume. Absent: a volume that stands in the pod alone. */
  readonly volumeName?: string
}

export type Service = {
  readonly key: ObjectKey
  readonly uid: Uid
  /** Absent: it selects no pods. */
  readonly selector?: Labels
}

/** What owns or scales pods: Deployment, ReplicaSet, StatefulSet, ReplicationController. */
export type Workload = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly apiVersion: string
  readonly kind: string
  readonly replicas: number
  readonly selector?: LabelSelector
  /** The pod its template would make. */
  readonly pod?: Pod
}
