import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import type { Pod, PodOwner } from '../../shared/model/pod.ts'
import { ago, SECOND } from './clock.ts'
import { resources } from './resources.ts'

export type PodShape = Partial<Omit<Pod, 'nodeName'>> & {
  readonly name?: string
  readonly namespace?: string
  readonly cpus?: number
  readonly memoryGib?: number
  readonly nodeName?: string
}

/** A pending pod that the scheduler marked unschedulable ten seconds ago: 1 CPU, 1 GiB, no constraints. */
export function pod(shape: PodShape = {}): Pod {
  const { name = 'pod', namespace = 'default', cpus = 1, memoryGib = 1, nodeName: node, ...overrides } = shape
  const base: Pod = {
    key: objectKey(namespace, name),
    uid: uid(`uid-${namespace}-${name}`),
    labels: {},
    createdAt: ago(20 * SECOND),
    phase: 'Pending',
    schedulerName: 'default-scheduler',
    schedulingGates: [],
    owner: REPLICA_SET,
    requests: resources(cpus, memoryGib, { pods: 1 }),
    nodeSelector: {},
    preferredNodeTerms: [],
    tolerations: [],
    topologySpread: [],
    podAffinity: { required: [], preferred: [] },
    podAntiAffinity: { required: [], preferred: [] },
    hostPorts: [],
    volumes: [],
    resourceClaims: [],
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    annotations: {},
  }
  return { ...base, ...(node === undefined ? { unschedulableSince: ago(10 * SECOND) } : bound(node)), ...overrides }
}

/** A pod that the scheduler has not looked at yet. */
export function unseenPod(shape: PodShape = {}): Pod {
  const { unschedulableSince: _, ...made } = pod(shape)
  return made
}

/** `count` pods named `<name>-0`, `<name>-1` and so on. */
export function pods(count: number, shape: PodShape = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, index) => pod({ ...shape, name: `${shape.name ?? 'pod'}-${index}` }))
}

/** A pod of a DaemonSet bound to a node. */
export function daemonPod(node: string, shape: PodShape = {}): Pod {
  return pod({ name: `daemon-${node}`, namespace: 'kube-system', cpus: 0.1, memoryGib: 0.1, owner: DAEMON_SET, ...shape, nodeName: node })
}

export const REPLICA_SET: PodOwner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app', uid: uid('uid-app') }
export const STATEFUL_SET: PodOwner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: uid('uid-db') }
export const DAEMON_SET: PodOwner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: uid('uid-agent') }
/** The owner of a static pod's mirror pod. */
export const NODE_OWNER: PodOwner = { apiVersion: 'v1', kind: 'Node', name: 'node', uid: uid('uid-node') }

function bound(node: string): Partial<Pod> {
  return { nodeName: nodeName(node), phase: 'Running' }
}
