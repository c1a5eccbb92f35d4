import type { CapacityBuffer, PodTemplate } from './capacityBuffer.ts'
import type { Node } from './node.ts'
import type { NodeClaim } from './nodeClaim.ts'
import type { NodeClass } from './nodeClass.ts'
import type { NodeOverlay, NodePool } from './nodePool.ts'
import type { Pod } from './pod.ts'
import type {
  CsiNode,
  DaemonSet,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  StorageClass,
  VolumeAttachment,
  Workload,
} from './workloads.ts'

/** The kinds that the shim watches and the app keeps, with the model type of each. */
export type ObjectByKind = {
  readonly pod: Pod
  readonly node: Node
  readonly nodeClaim: NodeClaim
  readonly nodePool: NodePool
  readonly nodeClass: NodeClass
  readonly daemonSet: DaemonSet
  readonly podDisruptionBudget: PodDisruptionBudget
  readonly persistentVolumeClaim: PersistentVolumeClaim
  readonly persistentVolume: PersistentVolume
  readonly storageClass: StorageClass
  readonly csiNode: CsiNode
  readonly volumeAttachment: VolumeAttachment
  readonly namespace: Namespace
  readonly nodeOverlay: NodeOverlay
  readonly capacityBuffer: CapacityBuffer
  readonly podTemplate: PodTemplate
  readonly deployment: Workload
  readonly statefulSet: Workload
  /** Without ReplicaSets that have an owner and no replicas: a Deployment keeps ten of them. */
  readonly replicaSet: Workload
  readonly replicationController: Workload
  readonly service: Service
}

export type ObjectKind = keyof ObjectByKind

export const OBJECT_KINDS = [
  'pod',
  'node',
  'nodeClaim',
  'nodePool',
  'nodeClass',
  'daemonSet',
  'podDisruptionBudget',
  'persistentVolumeClaim',
  'persistentVolume',
  'storageClass',
  'csiNode',
  'volumeAttachment',
  'namespace',
  'nodeOverlay',
  'capacityBuffer',
  'podTemplate',
  'deployment',
  'statefulSet',
  'replicaSet',
  'replicationController',
  'service',
] as const satisfies readonly ObjectKind[]
