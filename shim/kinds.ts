import type { ObjectKind } from '../shared/model/clusterObjects.ts'

/** Where the API server serves each kind the shim watches. */
export type KindPath = {
  readonly path: string
  /** Served by a CustomResourceDefinition that somebody has to install. While it is not installed, the shim waits and reports no error. */
  readonly custom: boolean
}

export const KIND_PATHS: { readonly [Kind in ObjectKind]: KindPath } = {
  pod: builtIn('/api/v1/pods'),
  node: builtIn('/api/v1/nodes'),
  nodeClaim: custom('/apis/karpenter.sh/v1/nodeclaims'),
  nodePool: custom('/apis/karpenter.sh/v1/nodepools'),
  nodeClass: custom('/apis/karpenter.azure.com/v1beta1/aksnodeclasses'),
  daemonSet: builtIn('/apis/apps/v1/daemonsets'),
  podDisruptionBudget: builtIn('/apis/policy/v1/poddisruptionbudgets'),
  persistentVolumeClaim: builtIn('/api/v1/persistentvolumeclaims'),
  persistentVolume: builtIn('/api/v1/persistentvolumes'),
  storageClass: builtIn('/apis/storage.k8s.io/v1/storageclasses'),
  csiNode: builtIn('/apis/storage.k8s.io/v1/csinodes'),
  volumeAttachment: builtIn('/apis/storage.k8s.io/v1/volumeattachments'),
  namespace: builtIn('/api/v1/namespaces'),
  nodeOverlay: custom('/apis/karpenter.sh/v1alpha1/nodeoverlays'),
  capacityBuffer: custom('/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers'),
  podTemplate: builtIn('/api/v1/podtemplates'),
  deployment: builtIn('/apis/apps/v1/deployments'),
  statefulSet: builtIn('/apis/apps/v1/statefulsets'),
  replicaSet: builtIn('/apis/apps/v1/replicasets'),
  replicationController: builtIn('/api/v1/replicationcontrollers'),
  service: builtIn('/api/v1/services'),
}

function builtIn(path: string): KindPath {
  return { path, custom: false }
}

function custom(path: string): KindPath {
  return { path, custom: true }
}
