/** Label, annotation, taint and finalizer names, spelled as Karpenter and AKS spell them. */
export const LABEL = {
  nodePool: 'karpenter.sh/nodepool',
  nodeClass: 'karpenter.azure.com/aksnodeclass',
  capacityType: 'karpenter.sh/capacity-type',
  reservation: 'karpenter.azure.com/capacity-reservation-id',
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

/** A machine cannot be told longer label keys at its boot, domain included: they come to its node when it registers. */
export const LONGEST_BOOT_LABEL_KEY = 63

export const ANNOTATION = {
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  nodeClassHash: 'karpenter.azure.com/aksnodeclass-hash',
  nodeClassHashVersion: 'karpenter.azure.com/aksnodeclass-hash-version',
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
  priceOverlay: 'karpenter.sh/price-overlay-applied',
  capacityOverlay: 'karpenter.sh/capacity-overlay-applied',
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** Ours: the fencing epoch and decision that made the claim, for a stale writer to be seen. */
  epoch: 'joiner.dev/epoch',
  decision: 'joiner.dev/decision',
  /** Ours: epoch milliseconds of the decision that made the claim; Kubernetes' own times are whole seconds. */
  decidedAt: 'joiner.dev/decided-at',
  /** Ours: epoch milliseconds since which the oldest pod that the claim was made for is there. */
  podsSince: 'joiner.dev/pods-since',
  /** Ours: epoch milliseconds at which a process began to launch the claim, or later when Azure asked for a longer pause than others wait for it. */
  launchStarted: 'joiner.dev/launch-started',
  /** Ours: how often a process began to launch the claim; each launch has a bootstrap token of its own. */
  launches: 'joiner.dev/launches',
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
