// Kubernetes objects as JSON holds them: the types of the client library with strings in place of dates, and with the members that every stored
// object has.
import type {
  CoreV1Event,
  V1CertificateSigningRequest,
  V1ContainerStatus,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1Lease,
  V1Namespace,
  V1Node,
  V1NodeCondition,
  V1NodeSelectorTerm,
  V1ObjectMeta,
  V1OwnerReference,
  V1Pod,
  V1PodCondition,
  V1PodSpec,
  V1PodTemplateSpec,
  V1ReplicaSet,
  V1Taint,
  V1Toleration,
} from '@kubernetes/client-node'

export type Wire<Model> = Model extends Date
  ? string
  : Model extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : Model extends object
      ? { readonly [Key in keyof Model]: Wire<Model[Key]> }
      : Model

export type Meta = Omit<Wire<V1ObjectMeta>, 'name' | 'uid' | 'resourceVersion' | 'creationTimestamp'> & {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
}

export type Stored = { readonly metadata: Meta }

type Object<Model> = Omit<Wire<Model>, 'metadata' | 'spec'> & {
  readonly metadata: Meta
  readonly spec: Model extends { spec?: infer Spec } ? Wire<NonNullable<Spec>> : never
}

export type Pod = Object<V1Pod>
export type PodSpec = Wire<V1PodSpec>
export type PodTemplate = Wire<V1PodTemplateSpec>
export type PodCondition = Wire<V1PodCondition>
export type ContainerStatus = Wire<V1ContainerStatus>
export type Node = Object<V1Node>
export type NodeCondition = Wire<V1NodeCondition>
export type NodeSelectorTerm = Wire<V1NodeSelectorTerm>
export type Taint = Wire<V1Taint>
export type Toleration = Wire<V1Toleration>
export type Deployment = Object<V1Deployment>
export type ReplicaSet = Object<V1ReplicaSet>
export type DaemonSet = Object<V1DaemonSet>
export type Job = Object<V1Job>
export type Lease = Object<V1Lease>
export type Namespace = Object<V1Namespace>
export type CertificateSigningRequest = Object<V1CertificateSigningRequest>
export type ClusterEvent = Omit<Wire<CoreV1Event>, 'metadata'> & { readonly metadata: Meta }
export type OwnerReference = Wire<V1OwnerReference>

/** Returns `namespace/name`, or the name alone for a cluster-scoped object. */
export function objectKeyOf(object: Stored): string {
  const { namespace, name } = object.metadata
  return namespace === undefined ? name : `${namespace}/${name}`
}

export function controllerOf(object: Stored): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)
}
