/** Label, annotation, taint and finalizer names, spelled as Karpenter and AKS spell them. */
export const LABEL = {
  nodePool: 'karpenter.sh/nodepool',
  nodeClass: 'karpenter.azure.com/aksnodeclass',
  capacityType: 'karpenter.sh/capacity-type',
  registered: 'karpenter.sh/registered',
  initialized: 'karpenter.sh/initialized',
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
  instanceType: 'node.kubernetes.io/instance-type',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  hostname: 'kubernetes.io/hostname',
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
} as const

export const ANNOTATION = {
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  nodeClassHash: 'karpenter.azure.com/aksnodeclass-hash',
  nodeClassHashVersion: 'karpenter.azure.com/aksnodeclass-hash-version',
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** Ours: the fencing epoch and decision that made the claim, for replay and for a stale writer to be seen. */
  epoch: 'joiner.dev/epoch',
  decision: 'joiner.dev/decision',
} as const

export const FINALIZER = 'karpenter.sh/termination'

export const TAINT_KEY = {
  disrupted: 'karpenter.sh/disrupted',
  unregistered: 'karpenter.sh/unregistered',
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  unschedulable: 'node.kubernetes.io/unschedulable',
  cloudProviderUninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  readinessPrefix: 'readiness.k8s.io/',
} as const

export const API_GROUP = { karpenter: 'karpenter.sh', azure: 'karpenter.azure.com' } as const
export const NODE_CLASS_KIND = 'AKSNodeClass'
