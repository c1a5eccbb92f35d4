import type { Condition } from './condition.ts'
import type { NodeName, ObjectKey, Uid } from './ids.ts'
import type { Labels } from './labels.ts'
import type { LabelSelector, Pod } from './pod.ts'

/** A DaemonSet, with the pod that its template would make on a node. */
export type DaemonSet = { readonly key: ObjectKey; readonly uid: Uid; readonly pod: Pod }

export type PodDisruptionBudget = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly selector?: LabelSelector
  readonly disruptionsAllowed: number
  /** Number of healthy pods, and the least number that the budget requires. Undefined if its controller has not counted yet. */
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  /** Number of pods that the budget expects: the replicas of the workloads that own its pods. */
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
  /** True if the claim names a volume and the binding is not confirmed yet. */
  readonly isBinding?: boolean
  /** True if the bound volume does not exist any more. */
  readonly isLost?: boolean
  /** True if its access mode is ReadWriteOncePod: one pod of the cluster may use it at a time. */
  readonly isOncePod?: boolean
  /** The node that kube-scheduler has chosen for a volume that is not made yet. No other node takes the pods of the claim. */
  readonly selectedNode?: NodeName
  /** What an existing volume must have for the claim. Undefined once the claim names its volume. */
  readonly asks?: VolumeAsk
}

export type VolumeAsk = {
  /** In bytes. */
  readonly storage: number
  readonly accessModes: readonly string[]
  readonly isBlock?: true
  /** Selects volumes by label. Undefined: all volumes. */
  readonly selector?: LabelSelector
}

export type PersistentVolume = {
  readonly name: string
  readonly uid: Uid
  readonly driver?: string
  /** Label requirements of the volume's nodes: a node must meet one of the terms. Undefined: any node. */
  readonly nodeTerms?: NonNullable<Pod['requiredNodeTerms']>
  readonly deleted?: boolean
  /** What the volume offers a claim of its class. Undefined if it has no class, or is not available. */
  readonly offers?: VolumeOffer
}

export type VolumeOffer = {
  readonly storageClass: string
  /** In bytes. */
  readonly storage: number
  readonly accessModes: readonly string[]
  readonly isBlock?: true
  readonly labels: Labels
  /** The only claim that may have the volume, with its uid if it is named. Undefined: any claim. */
  readonly claim?: ObjectKey
  readonly claimUid?: Uid
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

/** The CSI drivers that have come to a node. */
export type CsiNode = {
  readonly name: NodeName
  readonly uid: Uid
  /** Attach limits by driver. */
  readonly limits: { readonly [driver: string]: number }
  /** Drivers that state no limit. */
  readonly unlimited?: readonly string[]
}

/** A volume that is attached to a node, or is being attached or detached. The object is deleted once the volume is detached. */
export type VolumeAttachment = {
  readonly name: string
  readonly uid: Uid
  readonly node: NodeName
  /** The PersistentVolume. Undefined for a volume that is defined inline in the pod. */
  readonly volumeName?: string
}

export type Service = {
  readonly key: ObjectKey
  readonly uid: Uid
  /** Undefined if the service selects no pods. */
  readonly selector?: Labels
}

/** The owner of pods: Deployment, ReplicaSet, StatefulSet or ReplicationController. */
export type Workload = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly apiVersion: string
  readonly kind: string
  readonly replicas: number
  readonly selector?: LabelSelector
  /** The pod that its template would make. */
  readonly pod?: Pod
}
