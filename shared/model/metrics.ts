// All metrics that the app sends to Azure Monitor: a part of the telemetry contract.

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
  decision:
    'of a move: `delete`, `replace` where NodeClaims come first, or `terminate-first` where they come last; of a repair also `reboot`',
  terminateFirstReason: '`static-at-limit`: `limits.nodes` of the NodePool has no room for one more',
  terminationMode:
    'how long a drain may take: `graceful` without an end, `eventual` with one (`terminationGracePeriod`), `forceful` not at all',
  result: 'of a reboot: `succeeded`, `provider_error`, `recovery_timeout` or `invalid_request`',
  part: 'part of the catalog, or kind of calls to Azure',
  phase: '`sync`: the request was refused; `async`: the machine failed after Azure took the request',
  queue: 'name of the queue',
  kind: 'kind of objects, as `pod` or `nodePool`',
  region: 'region of Azure',
  family: 'name of the quota in lower case: a family of sizes; `cores` of all machines, `lowprioritycores` of spot machines',
} as const

export type DimensionName = keyof typeof DIMENSIONS

type MetricShape = {
  readonly unit: 'ms' | 's' | 'USD/h' | 'share' | 'nodes' | 'pods' | 'rows' | 'times' | 'calls' | 'cores' | 'messages' | 'objects'
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
  karpenter_instance_vm_create_start_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'capacityType'],
    from: 'launches of a machine that were tried, each size and zone counted',
    to: '',
  },
  karpenter_instance_vm_create_failure_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'capacityType', 'phase', 'errorCode'],
    from: 'launches of a machine that failed; `phase` says when, `errorCode` why',
    to: '',
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
  karpenter_voluntary_disruption_terminate_first_decisions_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'nodePool', 'reason', 'terminateFirstReason'],
    from: 'moves that decisions began, of nodes that go before others come in their place',
    to: '',
  },
  karpenter_nodeclaims_disrupted_total: {
    unit: 'nodes',
    kind: 'spread',
    dimensions: ['cluster', 'nodePool', 'reason', 'capacityType', 'terminationMode'],
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
  karpenter_nodes_reboots_total: {
    unit: 'times',
    kind: 'spread',
    dimensions: ['cluster', 'result'],
    from: 'reboots of nodes that ended',
    to: '',
  },
  karpenter_nodes_reboot_duration_seconds: {
    unit: 's',
    kind: 'spread',
    dimensions: ['cluster', 'result'],
    from: 'a repair asked for the reboot of a node',
    to: 'the reboot ended',
  },
  karpenter_nodes_reboot_recovery_duration_seconds: {
    unit: 's',
    kind: 'spread',
    dimensions: ['cluster'],
    from: 'Azure took the restart of the machine',
    to: 'its node is ready with a new boot id',
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
    from: 'messages in the queue; no value if the queue is empty',
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
