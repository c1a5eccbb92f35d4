import type { Uid } from './ids.ts'
import type { EpochMs } from './units.ts'

/** Names of labels, annotations, taints and finalizers, spelled as in Karpenter and AKS. */
export const LABEL = {
  /** The NodePool that the NodeClaim and its node belong to. */
  nodePool: 'karpenter.sh/nodepool',
  /** The AKSNodeClass that the NodeClaim and its node were made with. */
  nodeClass: 'karpenter.azure.com/aksnodeclass',
  /** `spot`, `on-demand` or `reserved`. */
  capacityType: 'karpenter.sh/capacity-type',
  /** The capacity reservation that the machine is in. */
  reservation: 'karpenter.azure.com/capacity-reservation-id',
  /** `true` once the node has joined and has its labels and taints. */
  registered: 'karpenter.sh/registered',
  /** `true` once the node is ready with all its resources. */
  initialized: 'karpenter.sh/initialized',
  /** `true` on a node: taints of the NodeClaim are not added to it at registration. */
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
  /** Size of the machine. */
  instanceType: 'node.kubernetes.io/instance-type',
  /** Zone of the machine, as `eastus-1`. `0` if the machine has no zone: it is regional. */
  zone: 'topology.kubernetes.io/zone',
  /** Region of the machine. */
  region: 'topology.kubernetes.io/region',
  /** Name of the node. A NodePool cannot ask for it. */
  hostname: 'kubernetes.io/hostname',
  /** `amd64` or `arm64`. */
  arch: 'kubernetes.io/arch',
  /** `linux`. */
  os: 'kubernetes.io/os',
  /** What the machine cost an hour in dollars when it was launched: `0.0617`. Viewers of nodes read this label. */
  instancePrice: 'eks-node-viewer/instance-price',
  /** Client id of the kubelet's identity, of a node that AKS or Joiner made. May be empty. */
  kubeletIdentity: 'kubernetes.azure.com/kubelet-identity-client-id',
  /** Put on a node that is being removed, so that external load balancers send it no new traffic. */
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
} as const

/** The longest label key, including its domain, that a machine can get at its boot. Longer keys are added to the node at registration. */
export const LONGEST_BOOT_LABEL_KEY = 63

export const ANNOTATION = {
  /**
   * `true` on a pod or node: no voluntary disruption of the node. On a pod also a duration from its start, such as `1h`. A node gets the annotation of
   * its NodeClaim when it registers, and a later change of the NodeClaim has no effect.
   */
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  /** `true` on a node: the node is never repaired. Joiner reads the annotation from a registered node. */
  doNotRepair: 'karpenter.sh/do-not-repair',
  /** On a NodePool: hash of its template. On a NodeClaim: the hash when the NodeClaim was made. */
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  /** Version of the hash function. */
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  /** Hash of the AKSNodeClass when the NodeClaim was made. */
  nodeClassHash: 'karpenter.azure.com/aksnodeclass-hash',
  /** Version of the hash function. */
  nodeClassHashVersion: 'karpenter.azure.com/aksnodeclass-hash-version',
  /** Hashes of the facts of the cluster that the machine was made from, as `v1 name=hash name=hash`. */
  clusterFacts: 'joiner.dev/cluster-facts',
  /** `true` on a NodeClaim whose `minValues` were relaxed, since they could not be met in full. */
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
  /** A NodeOverlay changed the price of the machine. */
  priceOverlay: 'karpenter.sh/price-overlay-applied',
  /** A NodeOverlay changed the capacity of the machine. */
  capacityOverlay: 'karpenter.sh/capacity-overlay-applied',
  /** When the NodeClaim's termination grace period ends. Pods that are left then are deleted. */
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** On a NodeClaim whose node is rebooted: the boot id before Azure was asked for the restart. */
  rebootPreBootId: 'karpenter.sh/reboot-pre-boot-id',
  /** On a NodeClaim whose node is rebooted: how long pods have to leave the node, such as `5m`. `0s`: the node is not drained. Absent: any time. */
  rebootGracePeriod: 'karpenter.sh/reboot-termination-grace-period',
  /**
   * On a NodeClaim: when Azure was asked for the reboots of its node within a day, in epoch milliseconds, with commas between them. `1+2`: asked again. `1-`: refused for now.
   */
  reboots: 'joiner.dev/reboots',
  /** Epoch of the writer that made the claim. Shows which claims a stale writer made. */
  epoch: 'joiner.dev/epoch',
  /** The decision that made the claim. */
  decision: 'joiner.dev/decision',
  /** Time of the decision that made the claim, in epoch milliseconds. Kubernetes' own times are whole seconds. */
  decidedAt: 'joiner.dev/decided-at',
  /** Creation time of the oldest pod that the claim was made for, in epoch milliseconds. */
  podsSince: 'joiner.dev/pods-since',
  /** The trace of the machine, from its pods to Ready, as a W3C `traceparent`. */
  traceParent: 'joiner.dev/traceparent',
  /**
   * Time at which a process began to launch the claim, or made the claim in order to launch it at once, in epoch milliseconds. Other processes do not
   * launch the claim for a while after this time. It is later if Azure asked for a longer pause.
   */
  launchStarted: 'joiner.dev/launch-started',
  /**
   * Number of launches that began. The app makes a NodeClaim with the value 1 if the launch follows at once. Each launch has its own bootstrap token.
   */
  launches: 'joiner.dev/launches',
  /** Kubernetes version that the machine of the NodeClaim was made for. */
  kubernetesVersion: 'joiner.dev/kubernetes-version',
  /** Tags of users that the machine of the NodeClaim has, from its AKSNodeClass and the settings, as JSON. They are changed in place. */
  tags: 'joiner.dev/tags',
  /**
   * On a NodeClaim that replaces drifted nodes, and on each NodeClaim of a full static NodePool whose drifted nodes go first: id of the move, and a hash of
   * the template and of the facts that the NodeClaim was made from.
   */
  replacesDrifted: 'joiner.dev/replaces-drifted',
  /** Id of the disruption command that removes the node. */
  disruptionCommand: 'joiner.dev/disruption-command',
  /**
   * On a NodePool's template: how long Azure may take to accept a machine, counted from the creation of the NodeClaim. At least `5s`. Example: `10m`.
   */
  launchTimeout: 'joiner.dev/launch-timeout',
  /**
   * On a NodePool's template: how long a machine may take to join as a node, counted from the creation of the NodeClaim. At least `5s`. Example:
   * `30m`.
   */
  registrationTimeout: 'joiner.dev/registration-timeout',
  /** On a NodePool's template: how long a node may take from registration to initialization. At least `5s`. Example: `20m`, or `Never`. */
  initializationTimeout: 'joiner.dev/initialization-timeout',
} as const

/** What a NodePool may set for its own nodes, instead of the settings of the app. */
export const CALM_ANNOTATION = {
  /** `true`: no node of the pool is removed because it is empty, drifted or not worth its price. */
  frozen: 'joiner.dev/freeze-disruption',
  /** Share of the price of the removed nodes that a consolidation must save at least: `0.1`. */
  leastSavingShare: 'joiner.dev/least-saving-share',
  /** What a consolidation must save at least for each pod that it moves, in dollars an hour. */
  leastSavingPerPod: 'joiner.dev/least-saving-per-pod',
  /** Nodes with pods that are younger than this are not consolidated: `1h`. */
  leastNodeAge: 'joiner.dev/least-node-age',
  /** How many consolidation moves of the pool may begin within an hour, empty nodes included: `4`. `0`: any number. */
  mostMovesAnHour: 'joiner.dev/most-moves-an-hour',
  /** How long after a move of the pool's nodes their new places and the moved workloads are not consolidated: `30m`. At most `168h`. `0s`: not at all. */
  restAfterMove: 'joiner.dev/rest-after-move',
  /** How many replacements of the pool's nodes may be there at once beyond the nodes that have gone for them: `1`. `0`: any number. */
  mostExtraNodes: 'joiner.dev/most-extra-nodes',
} as const

/** Annotations of pods that say what an eviction costs. */
export const POD_ANNOTATION = {
  /** How costly it is to evict the pod: a whole number of 32 bits. 134217728 counts as much as one more pod. The deletion cost then does not count. */
  disruptionCost: 'karpenter.sh/disruption-cost',
  /** Order in which pods of a ReplicaSet are deleted at a scale-down: a whole number, the lowest first. */
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
} as const

/**
 * The deletion cost that Joiner writes on pods of nodes that are planned to go. A pod without a cost counts as 0, so it is deleted after these pods.
 * Kubernetes accepts any whole number of 32 bits, so a user can still give a pod a lower cost.
 *
 * The value alone says that the annotation is Joiner's. A second annotation as a mark would need a wider right to change pods. The number is a prime,
 * which no user picks by chance. An admission policy of the chart lets the app add and remove this value only. The number is far below 2^27, the unit
 * of Karpenter's eviction cost: other programs with this measure still see a plain pod.
 */
export const PLANNED_DELETION_COST = '-30011'

export const FINALIZER = 'karpenter.sh/termination'
/** Keeps a NodeClass until no NodeClaim refers to it. */
export const CLASS_FINALIZER = 'karpenter.azure.com/termination'

export const TAINT_KEY = {
  /** The node is about to be deleted: no new pods. */
  disrupted: 'karpenter.sh/disrupted',
  /**
   * Effect `PreferNoSchedule`: the node is planned to go with the next moves, so new pods should go elsewhere. Its value is the time of the plan, in
   * seconds since the epoch. Decisions ignore the taint.
   */
  disruptionPlanned: 'joiner.dev/disruption-planned',
  /** The node is rebooted: no new pods until it has a new boot id. */
  rebooting: 'karpenter.sh/rebooting',
  /** The node has not registered yet. */
  unregistered: 'karpenter.sh/unregistered',
  /** The node is not ready. It does not count while the node starts. */
  notReady: 'node.kubernetes.io/not-ready',
  /** The kubelet does not report. */
  unreachable: 'node.kubernetes.io/unreachable',
  /** The node is cordoned. */
  unschedulable: 'node.kubernetes.io/unschedulable',
  /** The cloud provider has not initialized the node yet. */
  cloudProviderUninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  /** Prefix of the taints of readiness rules, which keep pods away from a node that starts. */
  readinessPrefix: 'readiness.k8s.io/',
} as const

export const API_GROUP = { karpenter: 'karpenter.sh', azure: 'karpenter.azure.com' } as const
export const NODE_CLASS_KIND = 'AKSNodeClass'

/** Labels whose values come from instance types and offerings. A pod may ask for a value even if its pool does not mention the label. */
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

/** Carried by instance types for the choice of an image. Users may not ask for it. */
export const HYPERV_GENERATION_LABEL = 'karpenter.azure.com/sku-hyperv-generation'

/** Labels that a compatibility check allows to be undefined on a pool, a claim or an offering. */
export const UNDEFINED_ALLOWED_LABELS: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS, HYPERV_GENERATION_LABEL])

/** Reports whether users may neither set nor request the label. Its values are set by Joiner, or exist only once the node exists. */
export function isRestricted(key: string): boolean {
  if (WELL_KNOWN_LABELS.has(key)) return false
  if (key === LABEL.hostname || key === LABEL.instancePrice) return true
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  return RESTRICTED_DOMAINS.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`))
}

/** Reports whether the key is `name` or `dns.domain/name`, as Kubernetes requires of label, annotation and taint keys. */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? parts[0] : undefined
  return parts.length <= 2 && name.length <= 63 && NAME.test(name) && (domain === undefined || isSubdomain(domain))
}

/** Reports whether the text is empty, or at most 63 letters, digits, `-`, `_` and `.` that start and end with a letter or digit. */
export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && NAME.test(value))
}

const RESTRICTED_DOMAINS = [API_GROUP.karpenter, API_GROUP.azure] as const
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text)
}

export type Labels = { readonly [key: string]: string }

/** The metadata of a Kubernetes object, reduced to what decisions and writes need. */
export type Meta = {
  readonly uid: Uid
  readonly labels: Labels
  readonly annotations: Labels
  readonly createdAt: EpochMs
  /** When deletion was requested. Undefined if it was not. */
  readonly deletedAt?: EpochMs
  readonly generation: number
  readonly resourceVersion: string
  readonly finalizers: readonly string[]
}
