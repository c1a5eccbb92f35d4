import type {
  CertificateSigningRequest,
  ClusterEvent,
  DaemonSet,
  Deployment,
  Job,
  Lease,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Stored,
} from './objects.ts'

/** A kind that the API server serves: its path, and (as a type only) its objects. */
export type Resource<Item extends Stored> = {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  /** Never set. It ties the type of the objects to the resource. */
  readonly item?: Item
}

/** The name of an object. `namespace` is undefined for a cluster-scoped object. */
export type Ref = { readonly namespace?: string | undefined; readonly name: string }

export const PODS: Resource<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }
export const NODES: Resource<Node> = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' }
export const NAMESPACES: Resource<Namespace> = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' }
export const EVENTS: Resource<ClusterEvent> = { apiVersion: 'v1', kind: 'Event', plural: 'events' }
export const DEPLOYMENTS: Resource<Deployment> = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
export const REPLICA_SETS: Resource<ReplicaSet> = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' }
export const DAEMON_SETS: Resource<DaemonSet> = { apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets' }
export const JOBS: Resource<Job> = { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' }
export const LEASES: Resource<Lease> = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' }
export const SIGNING_REQUESTS: Resource<CertificateSigningRequest> = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
}

/** Returns the path of a collection. Without a namespace, the path covers all namespaces. */
export function collectionPath(resource: Resource<Stored>, namespace?: string): string {
  const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`
  return namespace === undefined ? `${root}/${resource.plural}` : `${root}/namespaces/${namespace}/${resource.plural}`
}

export function objectPath(resource: Resource<Stored>, ref: Ref, subresource?: string): string {
  const path = `${collectionPath(resource, ref.namespace)}/${ref.name}`
  return subresource === undefined ? path : `${path}/${subresource}`
}
