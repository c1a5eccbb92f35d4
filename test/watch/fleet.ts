import { realisticPod } from '../../bench/shimPods.ts'

/** The namespaces of the pods that the load writes. */
export const NAMESPACES = Array.from({ length: 40 }, (_, index) => `team-${index}`)
/** One pod of this many is pending: the scheduler marked it unschedulable. */
const WAITING = 100

type PodJson = {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: { readonly [name: string]: string }
    readonly annotations: object
    readonly ownerReferences: object
  }
  readonly spec: object
  readonly status: object
}

export type FleetPod = {
  /** `namespace/name`, as in the app. */
  readonly key: string
  readonly collection: string
  readonly path: string
  /** The pod as a controller posts it. */
  readonly body: object
  /** The status that scheduler and kubelet write later. */
  readonly status: object
  readonly isWaiting: boolean
}

/** The pod of an index. `round` becomes a label, so that a watcher can tell which write it sees. */
export function fleetPod(index: number, nodes: number, round = 0): FleetPod {
  const isWaiting = index % WAITING === 0
  const { metadata, spec, status } = realisticPod(index, { pending: isWaiting, round }) as PodJson
  const { name, namespace, labels, annotations, ownerReferences } = metadata
  const collection = `/api/v1/namespaces/${namespace}/pods`
  const placed = isWaiting ? {} : { nodeName: nodeName(index % nodes) }
  return {
    key: `${namespace}/${name}`,
    collection,
    path: `${collection}/${name}`,
    body: { metadata: { name, labels, annotations, ownerReferences }, spec: { ...spec, ...placed } },
    status,
    isWaiting,
  }
}

export function nodeName(index: number): string {
  return `aks-nodepool-${index}`
}

export function fleetNode(index: number): { readonly body: object; readonly status: object } {
  const labels = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'Standard_D8s_v5',
    'topology.kubernetes.io/zone': `westeurope-${1 + (index % 3)}`,
  }
  const room = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '128Gi' }
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: '2026-11-01T00:00:05Z' }
  return {
    body: { metadata: { name: nodeName(index), labels }, spec: { podCIDR: `10.${index >> 8}.${index & 255}.0/24` } },
    status: { capacity: room, allocatable: room, conditions: [condition] },
  }
}
