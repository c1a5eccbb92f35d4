/** Label, annotation, taint and finalizer names, spelled as Karpenter and AKS spell them. */
export const LABEL = {
  /** The NodePool that a NodeClaim and its node were made by. */
  nodePool: 'karpenter.sh/nodepool',
  /** The AKSNodeClass that they were made with. */
  nodeClass: 'karpenter.azure.com/aksnodeclass',
  /** `spot`, `on-demand` or `reserved`. */
  capacityType: 'karpenter.sh/capacity-type',
  /** The capacity reservation that the machine is in. */
  reservation: 'karpenter.azure.com/capacity-reservation-id',
  /** `true` once the node has joined and carries its labels and taints. */
  registered: 'karpenter.sh/registered',
  /** `true` once the node is ready with all its resources. */
  initialized: 'karpenter.sh/initialized',
  /** `true` on a node: taints of the NodeClaim are not put on it at registration. */
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
  /** Size of the machine. */
  instanceType: 'node.kubernetes.io/instance-type',
  /** Zone of the machine, as `eastus-1`; without zones `0`. */
  zone: 'topology.kubernetes.io/zone',
  /** Region of the machine. */
  region: 'topology.kubernetes.io/region',
  /** Name of the node. A NodePool cannot ask for it. */
  hostname: 'kubernetes.io/hostname',
  /** `amd64` or `arm64`. */
  arch: 'kubernetes.io/arch',
  /** `linux`. */
  os: 'kubernetes.io/os',
  /** Put on a node that is being taken away: load balancers send it nothing new. */
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
} as const

/** A machine cannot be told longer label keys at its boot, domain included: they come to its node when it registers. */
export const LONGEST_BOOT_LABEL_KEY = 63

export const ANNOTATION = {
  /** `true` on a pod, node or NodeClaim: the node is not taken away to save money. */
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  /** What the NodePool's template said when the NodeClaim was made. */
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  /** How that was computed. */
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  /** What the AKSNodeClass said when the NodeClaim was made. */
  nodeClassHash: 'karpenter.azure.com/aksnodeclass-hash',
  /** How that was computed. */
  nodeClassHashVersion: 'karpenter.azure.com/aksnodeclass-hash-version',
  /** `true` on a NodeClaim that meets `minValues` only as far as it could be. */
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
  /** The NodeOverlay changed the price of the machine. */
  priceOverlay: 'karpenter.sh/price-overlay-applied',
  /** The NodeOverlay changed the capacity of the machine. */
  capacityOverlay: 'karpenter.sh/capacity-overlay-applied',
  /** When the NodeClaim's termination grace period ends: what is left then is deleted. */
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** Epoch of the writer that made the claim, for a stale writer to be seen. */
  epoch: 'joiner.dev/epoch',
  /** The decision that made the claim. */
  decision: 'joiner.dev/decision',
  /** Epoch milliseconds of the decision that made the claim; Kubernetes' own times are whole seconds. */
  decidedAt: 'joiner.dev/decided-at',
  /** Epoch milliseconds since which the oldest pod that the claim was made for is there. */
  podsSince: 'joiner.dev/pods-since',
  /** The trace of the machine, from its pods to Ready, as a W3C `traceparent`. */
  traceParent: 'joiner.dev/traceparent',
  /** Epoch milliseconds at which a process began to launch the claim, or to make a claim that it launches at once; later when Azure asked for a longer pause than others wait for it. */
  launchStarted: 'joiner.dev/launch-started',
  /** Number of launches that began. The app makes a NodeClaim with the value 1 when the launch follows at once. Each launch has a bootstrap token of its own. */
  launches: 'joiner.dev/launches',
  /** Id of the disruption command that takes the node away. */
  disruptionCommand: 'joiner.dev/disruption-command',
  /** Of a pool's template: how long Azure may take to accept a machine, from the NodeClaim made; at least `5s`. `10m`. */
  launchTimeout: 'joiner.dev/launch-timeout',
  /** Of a pool's template: how long a machine may take to join as a node, from the NodeClaim made; at least `5s`. `30m`. */
  registrationTimeout: 'joiner.dev/registration-timeout',
  /** Of a pool's template: how long its nodes may take from joining to being able to do what was promised; at least `5s`. `20m`, or `Never`. */
  initializationTimeout: 'joiner.dev/initialization-timeout',
} as const

/** What a NodePool may ask for its own nodes, in place of the settings of the app. */
export const CALM_ANNOTATION = {
  /** `true`: no node of the pool goes because it is empty, drifted or not worth its money. */
  frozen: 'joiner.dev/freeze-disruption',
  /** The least share of what nodes cost that a consolidation must save: `0.1`. */
  leastSavingShare: 'joiner.dev/least-saving-share',
  /** The least that it must save for each pod that moves, in dollars an hour. */
  leastSavingPerPod: 'joiner.dev/least-saving-per-pod',
  /** Younger nodes with pods are not consolidated: `1h`. */
  leastNodeAge: 'joiner.dev/least-node-age',
} as const

/** Annotations of pods that are no one's own here. */
export const POD_ANNOTATION = {
  /** Which pods of a ReplicaSet go first when there are to be fewer: a whole number, the lower the sooner. */
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
} as const

export const FINALIZER = 'karpenter.sh/termination'

export const TAINT_KEY = {
  /** The node is being deleted: no new pods. */
  disrupted: 'karpenter.sh/disrupted',
  /** From boot to registration. */
  unregistered: 'karpenter.sh/unregistered',
  /** The node is not ready; while it starts this is no reason against it. */
  notReady: 'node.kubernetes.io/not-ready',
  /** The kubelet is not heard of. */
  unreachable: 'node.kubernetes.io/unreachable',
  /** The node is cordoned. */
  unschedulable: 'node.kubernetes.io/unschedulable',
  /** The cloud has not said yet where the node is. */
  cloudProviderUninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  /** Beginning of the taints with which readiness rules hold pods off a node that starts. */
  readinessPrefix: 'readiness.k8s.io/',
} as const

export const API_GROUP = { karpenter: 'karpenter.sh', azure: 'karpenter.azure.com' } as const
export const NODE_CLASS_KIND = 'AKSNodeClass'

/** Labels whose values instance types and offerings decide: a pod may ask for any value though its pool says nothing. */
export const WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  LABEL.nodePool,
  LABEL.zone,
  LABEL.region,
  LABEL.instanceType,
  LABEL.arch,
  LABEL.os,
  LABEL.capacityType,
  'node.kubernetes.io/windows-build',
  LABEL.nodeClass,
  'karpenter.azure.com/sku-name',
  'karpenter.azure.com/sku-family',
  'karpenter.azure.com/sku-series',
  'karpenter.azure.com/sku-version',
  'karpenter.azure.com/sku-cpu',
  'karpenter.azure.com/sku-memory',
  'karpenter.azure.com/sku-networking-accelerated',
  'karpenter.azure.com/sku-storage-premium-capable',
  'karpenter.azure.com/sku-storage-ephemeralos-maxsize',
  'karpenter.azure.com/sku-storage-ultra-ssd',
  'karpenter.azure.com/sku-gpu-name',
  'karpenter.azure.com/sku-gpu-manufacturer',
  'karpenter.azure.com/sku-gpu-count',
  'karpenter.azure.com/placement-scope',
  LABEL.reservation,
  'kubernetes.azure.com/cluster',
  'kubernetes.azure.com/mode',
  'kubernetes.azure.com/scalesetpriority',
  'kubernetes.azure.com/priority',
  'kubernetes.azure.com/os-sku',
  'kubernetes.azure.com/fips_enabled',
  'kubernetes.azure.com/sku-cpu',
  'kubernetes.azure.com/sku-memory',
])

/** Instance types carry it for the choice of an image; users may not ask for it. */
export const HYPERV_GENERATION_LABEL = 'karpenter.azure.com/sku-hyperv-generation'

/** What a compatibility check against a pool, a claim or an offering lets be undefined. */
export const UNDEFINED_ALLOWED_LABELS: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS, HYPERV_GENERATION_LABEL])

/** True for a label users may neither set nor ask for: its values are ours, or only exist once the node does. */
export function isRestricted(key: string): boolean {
  if (WELL_KNOWN_LABELS.has(key)) return false
  if (key === LABEL.hostname) return true
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  return RESTRICTED_DOMAINS.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`))
}

/** `name` or `dns.domain/name`, as Kubernetes asks of label, annotation and taint keys. */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? parts[0] : undefined
  return parts.length <= 2 && name.length <= 63 && NAME.test(name) && (domain === undefined || isSubdomain(domain))
}

/** Empty, or at most 63 letters, digits, `-`, `_` and `.` that start and end with a letter or digit. */
export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && NAME.test(value))
}

const RESTRICTED_DOMAINS = [API_GROUP.karpenter, API_GROUP.azure] as const
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text)
}
