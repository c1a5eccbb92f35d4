import type { Subject } from '../../model/decision.ts'

/** Group, version, kind and address of everything the adapter reads or writes. */
export const RESOURCE = {
  nodeClaim: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', path: '/apis/karpenter.sh/v1/nodeclaims' },
  nodePool: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', path: '/apis/karpenter.sh/v1/nodepools' },
  nodeClass: { apiVersion: 'karpenter.azure.com/v1beta1', kind: 'AKSNodeClass', path: '/apis/karpenter.azure.com/v1beta1/aksnodeclasses' },
  node: { apiVersion: 'v1', kind: 'Node', path: '/api/v1/nodes' },
  pod: { apiVersion: 'v1', kind: 'Pod', path: '/api/v1/pods' },
  nodeOverlay: { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', path: '/apis/karpenter.sh/v1alpha1/nodeoverlays' },
  capacityBuffer: {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    path: '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers',
  },
  volumeAttachment: { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', path: '/apis/storage.k8s.io/v1/volumeattachments' },
} as const satisfies {
  readonly [Kind in Subject['kind'] | 'volumeAttachment']: {
    readonly apiVersion: string
    readonly kind: string
    readonly path: string
  }
}

export function itemPath(kind: Exclude<keyof typeof RESOURCE, 'pod' | 'capacityBuffer'>, name: string): string {
  return `${RESOURCE[kind].path}/${encodeURIComponent(name)}`
}

/** `key` is `namespace/name`. */
export function podPath(key: string): string {
  return `/api/v1/${namespacedPath('pods', key)}`
}

/** `key` is `namespace/name`. */
export function bufferPath(key: string): string {
  return `/apis/autoscaling.x-k8s.io/v1beta1/${namespacedPath('capacitybuffers', key)}`
}

function namespacedPath(plural: string, key: string): string {
  const [namespace = '', name = ''] = key.split('/')
  return `namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`
}

export function secretsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`
}

export function eventsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`
}
