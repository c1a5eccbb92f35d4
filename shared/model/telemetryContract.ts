// All events, metrics and fields that the app sends to Azure Monitor. `docs/monitoring.md` lists the same. Queries, alerts and the workbook may use
// these names only.

/** Text properties of events. */
export const PROPERTIES = {
  cluster: 'id of the cluster',
  decision: 'id of the decision, as the status of the cluster lists it',
  nodePool: 'name of the NodePool',
  nodeClaim: 'name of the NodeClaim',
  sku: 'machine size',
  zone: 'zone of the machine; empty in a region without zones',
  capacityType: '`on-demand`, `spot` or `reserved`',
  reason: 'why it was done: a disruption reason, or what Azure said of an interruption',
  errorCode: 'a code of the list of errors; empty where nothing failed',
  queue: 'name of the queue',
} as const

/** Numeric properties of events. */
export const MEASUREMENTS = {
  pods: { unit: 'pods', about: 'pods that are planned for the machine' },
  alternatives: { unit: 'sizes', about: 'machine sizes that would serve as well' },
  decideMs: { unit: 'ms', about: 'from the snapshot to the decision' },
  pricePerHour: { unit: 'USD/h', about: 'price of the machine' },
  nextBestPricePerHour: { unit: 'USD/h', about: 'price of what comes next' },
  savingsPerHour: { unit: 'USD/h', about: 'price of the removed machine' },
  podPendingSeconds: { unit: 's', about: 'from the creation of the oldest pod that is planned for the machine to now' },
  launchSeconds: { unit: 's', about: 'from the decision to the machine accepted by Azure' },
  registrationSeconds: { unit: 's', about: 'from the machine accepted to its node registered' },
  initializationSeconds: { unit: 's', about: 'from the node registered to the node initialized' },
  readySeconds: { unit: 's', about: 'from the NodeClaim made to the node initialized' },
  terminationSeconds: { unit: 's', about: 'from the deletion of the NodeClaim to its end' },
  lifetimeSeconds: { unit: 's', about: 'from the NodeClaim made to its end' },
  unavailableSeconds: { unit: 's', about: 'how long the offering is not used' },
  refusals: { unit: 'times', about: 'how often Azure refused the offering in a row' },
  reactionSeconds: { unit: 's', about: 'from the notice read to the node closed, the claim ended and evictions sent' },
} as const

export type PropertyName = keyof typeof PROPERTIES
export type MeasurementName = keyof typeof MEASUREMENTS

type EventShape = {
  readonly about: string
  readonly properties: readonly PropertyName[]
  readonly measurements: readonly MeasurementName[]
}

/** Events: each occurrence is sent once, never sampled or aggregated. Only events may name claims and decisions. */
export const EVENTS = {
  'provisioning.decision': {
    about: 'a decision asks for one machine',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['pods', 'alternatives', 'decideMs', 'pricePerHour', 'nextBestPricePerHour'],
  },
  'nodeclaim.launch': {
    about: 'Azure accepted a machine, or refused it with `errorCode`',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'errorCode'],
    measurements: ['launchSeconds', 'pricePerHour'],
  },
  'nodeclaim.failed': {
    about: 'a step of a NodeClaim failed as a whole, for a cause that a person has to mend, or at every delivery of its message',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'errorCode'],
    measurements: [],
  },
  'nodeclaim.registered': {
    about: 'the machine joined as a node',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['registrationSeconds'],
  },
  'nodeclaim.initialized': {
    about: 'the node can take pods',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['initializationSeconds', 'readySeconds', 'podPendingSeconds'],
  },
  'nodeclaim.terminated': {
    about: 'the machine and its claim are gone',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['terminationSeconds', 'lifetimeSeconds'],
  },
  'offering.unavailable': {
    about: 'a size is not used for a while, in all zones or in one zone',
    properties: ['cluster', 'sku', 'zone', 'capacityType', 'errorCode'],
    measurements: ['unavailableSeconds', 'refusals'],
  },
  'disruption.decision': {
    about: 'a node is removed because it costs more than needed, drifted, expired or is unhealthy',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'reason'],
    measurements: ['savingsPerHour'],
  },
  'interruption.handled': {
    about: 'Azure takes a machine away, and its node was closed',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'reason'],
    measurements: ['reactionSeconds'],
  },
  'message.poisoned': {
    about: 'a message was moved to a poison queue',
    properties: ['queue', 'errorCode'],
    measurements: [],
  },
} as const satisfies { readonly [name: string]: EventShape }

export type EventName = keyof typeof EVENTS

/** All properties and measurements of an event. `undefined`: the event has no value for it this time. */
export type EventFields<Name extends EventName> = {
  readonly [Each in (typeof EVENTS)[Name]['properties'][number]]: string | undefined
} & { readonly [Each in (typeof EVENTS)[Name]['measurements'][number]]: number | undefined }

/**
 * The stages of a machine from its pods to Ready, as spans of one trace in the order of time. The first span is the parent of the others. Never
 * sampled.
 */
export const SPANS = {
  pending: {
    from: 'the oldest pod that is planned for the machine was created, at most a day ago',
    to: 'the shim saw the first change of the batch',
  },
  window: { from: 'the shim saw the first change of the batch', to: 'the look at the cluster starts' },
  decide: { from: 'the look at the cluster starts', to: 'decision made' },
  claim: { from: 'decision made', to: 'NodeClaim created' },
  nic: { from: 'the launch that made the machine starts', to: 'the network interface is there' },
  vm: { from: 'the network interface is there', to: 'Azure took the machine' },
  boot: { from: 'Azure took the machine', to: 'its node is there' },
  register: { from: 'the node is there', to: 'the node is known as the machine of the claim' },
  initialize: { from: 'the node is known as the machine of the claim', to: 'the node can take pods' },
} as const

export type SpanName = keyof typeof SPANS

/** Properties of every span. */
export const SPAN_PROPERTIES = ['cluster', 'nodePool', 'nodeClaim'] as const satisfies readonly PropertyName[]

export type SpanFields = { readonly [Each in (typeof SPAN_PROPERTIES)[number]]: string | undefined }

/** Dimensions that separate the series of a metric. Each has few values: no names of claims, nodes or pods. */
export const DIMENSIONS = {
  cluster: 'id of the cluster',
  nodePool: 'name of the NodePool',
  capacityType: '`on-demand`, `spot` or `reserved`',
  outcome: 'of a look `decided`, `yielded` or `incomplete`; of a move `done` or `undone`',
  errorCode: 'a code of the list of errors',
  reason: 'why a node is removed: for a move `empty`, `drifted` or `underutilized`; otherwise the reason of Karpenter or the error code',
  code: 'status of the answer of the API server; `none` where none came',
  condition: 'of the node, and its state: `Ready=False`',
  decision: 'of a move: `delete`, or `replace` where NodeClaims come first',
  part: 'part of the catalog, or kind of calls to Azure',
  queue: 'name of the queue',
  kind: 'kind of objects, as `pod` or `nodePool`',
  region: 'region of Azure',
  family: 'name of the quota in lower case: a family of sizes; `cores` of all machines, `lowprioritycores` of spot machines',
} as const

export type DimensionName = keyof typeof DIMENSIONS

type MetricShape = {
  readonly unit: 'ms' | 'USD/h' | 'share' | 'nodes' | 'pods' | 'rows' | 'times' | 'calls' | 'cores' | 'messages' | 'objects'
  /**
   * `spread`: count, sum, minimum and maximum of a period. `state`: the newest value. Values that decisions compute come only from the holder of the
   * lease.
   */
  readonly kind: 'spread' | 'state'
  readonly dimensions: readonly DimensionName[]
  /** The two moments of a duration. Otherwise `from` says what is counted. */
  readonly from: string
  readonly to: string
}

/** Metrics, aggregated over a period and sent only if the period has a value. */
export const METRICS = {
  event_to_received_ms: {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['cluster'],
    from: 'the shim saw the earliest change of a batch',
    to: 'the app received it',
  },
  event_to_reconcile_ms: {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['cluster'],
    from: 'earliest event of a batch window',
    to: 'its decision starts',
  },
  decide_ms: { unit: 'ms', kind: 'spread', dimensions: ['cluster'], from: 'snapshot taken', to: 'decision made' },
  claim_created_ms: { unit: 'ms', kind: 'spread', dimensions: ['cluster'], from: 'snapshot taken', to: 'NodeClaim created' },
  launched_ms: {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['cluster'],
    from: 'NodeClaim created',
    to: 'Azure took the request for its machine',
  },
  'azure.catalog': {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['part'],
    from: 'a part of the catalog is asked for',
    to: 'it is stored; `part` says which',
  },
  'azure.first_call': { unit: 'ms', kind: 'spread', dimensions: [], from: 'NodeClaim created', to: 'Azure is asked for the first time' },
  'azure.interface': {
    unit: 'ms',
    kind: 'spread',
    dimensions: [],
    from: 'Azure is asked for the first time',
    to: 'the network interface is there',
  },
  'azure.machine_accepted': {
    unit: 'ms',
    kind: 'spread',
    dimensions: [],
    from: 'Azure is asked for the first time',
    to: 'Azure took the machine',
  },
  'azure.throttled': {
    unit: 'times',
    kind: 'spread',
    dimensions: [],
    from: 'calls that Azure throttled',
    to: '',
  },
  'azure.remaining': {
    unit: 'calls',
    kind: 'state',
    dimensions: ['part'],
    from: 'calls that Azure says are left of a kind; `part` says which. Told by each process',
    to: '',
  },
  'cluster.watched': {
    unit: 'times',
    kind: 'state',
    dimensions: ['cluster'],
    from: '1 while the timer watches the cluster. Shows a cluster without any decision',
    to: '',
  },
  reconcile_ms: {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['cluster', 'outcome'],
    from: 'a look at the cluster starts',
    to: 'it is over; `outcome` says how. The heartbeat of the cluster',
  },
  move_ms: {
    unit: 'ms',
    kind: 'spread',
    dimensions: ['cluster', 'outcome'],
    from: 'a move of nodes is decided',
    to: 'its nodes are being deleted or gone, or stay; `outcome` says which',
  },
  karpenter_voluntary_disruption_decisions_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'reason', 'decision'],
    from: 'moves of nodes that decisions began',
    to: '',
  },
  karpenter_nodeclaims_disrupted_total: {
    unit: 'nodes',
    kind: 'spread',
    dimensions: ['cluster', 'nodePool', 'reason', 'capacityType'],
    from: 'NodeClaims that were removed: by a move, at their age, as unhealthy, as interrupted, or because they failed; the last two are counted by the first Event about it',
    to: '',
  },
  karpenter_pods_disruption_initiated_total: {
    unit: 'pods',
    kind: 'spread',
    dimensions: ['cluster', 'reason'],
    from: 'pods that needed another place, on the nodes of NodeClaims that were removed by a move, at their age or as unhealthy',
    to: '',
  },
  karpenter_nodeclaims_unhealthy_disrupted_total: {
    unit: 'nodes',
    kind: 'spread',
    dimensions: ['cluster', 'condition'],
    from: 'NodeClaims that were removed as unhealthy',
    to: '',
  },
  karpenter_nodes_drained_total: {
    unit: 'nodes',
    kind: 'spread',
    dimensions: ['cluster'],
    from: 'NodeClaims whose nodes were drained',
    to: '',
  },
  karpenter_pods_drained_total: {
    unit: 'pods',
    kind: 'spread',
    dimensions: ['cluster', 'reason'],
    from: 'pods that were evicted, or deleted by a deadline, each counted by the first Event `Evicted` or `Disrupted` that tells of it; `reason` as the NodeClaim says, or `Forceful Termination`',
    to: '',
  },
  karpenter_pods_eviction_requests_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'code'],
    from: 'evictions from nodes of NodeClaims that the API server was asked for',
    to: '',
  },
  karpenter_voluntary_disruption_queue_failures_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'reason', 'decision'],
    from: 'moves that were undone',
    to: '',
  },
  'nodepool.nodes': {
    unit: 'nodes',
    kind: 'state',
    dimensions: ['cluster', 'nodePool', 'capacityType'],
    from: 'NodeClaims of the pool',
    to: '',
  },
  'nodepool.cost.hourly': {
    unit: 'USD/h',
    kind: 'state',
    dimensions: ['cluster', 'nodePool', 'capacityType'],
    from: 'prices of the machines of the pool',
    to: '',
  },
  'nodepool.limit.used': {
    unit: 'share',
    kind: 'state',
    dimensions: ['cluster', 'nodePool'],
    from: 'the fullest limit of the pool: 1 is full',
    to: '',
  },
  'decision.left_out': {
    unit: 'objects',
    kind: 'state',
    dimensions: ['cluster', 'kind'],
    from: 'objects that a decision left out, since it fails with them',
    to: '',
  },
  karpenter_scheduler_unschedulable_pods_count: {
    unit: 'pods',
    kind: 'state',
    dimensions: ['cluster', 'errorCode'],
    from: 'pods that no machine can be had for, by the first reason',
    to: '',
  },
  'quota.used': {
    unit: 'cores',
    kind: 'state',
    dimensions: ['region', 'family'],
    from: 'cores of the quota in use by all programs, if any are in use: sent after a change, and each hour',
    to: '',
  },
  'quota.limit': {
    unit: 'cores',
    kind: 'state',
    dimensions: ['region', 'family'],
    from: 'cores that the quota allows; sent with `quota.used`',
    to: '',
  },
  'queue.messages': {
    unit: 'messages',
    kind: 'state',
    dimensions: ['queue'],
    from: 'messages in the queue, also messages that are not due yet; no value if the queue is empty',
    to: '',
  },
  'queue.waiting_ms': {
    unit: 'ms',
    kind: 'state',
    dimensions: ['queue'],
    from: 'the message that waits longest could be taken for the first time',
    to: 'now; no value if no message is due',
  },
  'telemetry.dropped': {
    unit: 'rows',
    kind: 'spread',
    dimensions: [],
    from: 'rows that could not be sent and did not fit any more',
    to: '',
  },
} as const satisfies { readonly [name: string]: MetricShape }

export type MetricName = keyof typeof METRICS

/** All dimensions of the metric. */
export type MetricDimensions<Name extends MetricName> = {
  readonly [Each in (typeof METRICS)[Name]['dimensions'][number]]: string | undefined
}

/** Fields of a log line that are sent to Azure Monitor. Other fields stay on the machine. */
export const LOG_FIELDS = {
  code: 'a code of the list of errors',
  cluster: 'id of the cluster',
  nodePool: 'name of the NodePool',
  claim: 'name of the NodeClaim',
  node: 'name of the node',
  decision: 'id of the decision',
  work: 'the timer whose work it was',
  queue: 'name of the queue',
  path: 'field of the input that is wrong',
  eventId: 'id of the event from Azure',
} as const
