// Kubernetes objects for tests: valid defaults, and what a test says instead.
import type { Node, Pod, ReplicaSet } from '../client/objects.ts'

const BORN = '2026-01-01T00:00:00Z'
const meta = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: BORN })

type Parts = { readonly labels?: object; readonly spec?: object; readonly status?: object; readonly metadata?: object }

/** A node with 4 CPUs, 8 GiB and room for 10 pods. */
export function testNode(name: string, parts: Parts = {}): Node {
  return {
    metadata: { ...meta(name), labels: { 'kubernetes.io/hostname': name, ...parts.labels }, ...parts.metadata },
    spec: { ...parts.spec },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' }, ...parts.status },
  } as Node
}

/** A pod with one container that requests `cpu` (default 1). */
export function testPod(name: string, parts: Parts & { readonly cpu?: string } = {}): Pod {
  return {
    metadata: { ...meta(name), namespace: 'default', labels: { ...parts.labels }, ...parts.metadata },
    spec: { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: parts.cpu ?? '1' } } }], ...parts.spec },
    status: { phase: 'Pending', ...parts.status },
  } as Pod
}

export function testSet(name: string, replicas: number, available: number, parts: Parts = {}): ReplicaSet {
  return {
    metadata: { ...meta(name), namespace: 'default', ...parts.metadata },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  } as ReplicaSet
}
