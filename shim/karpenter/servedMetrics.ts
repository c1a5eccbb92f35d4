/** A metric of Karpenter that the shim serves: with Karpenter's name, unit, and these of its labels. docs/monitoring.md has the same table. */
export type ServedMetric = { readonly type: 'gauge' | 'counter'; readonly labels: readonly string[]; readonly from: string }

const NODE_LABELS = ['node_name', 'nodepool', 'zone', 'region', 'instance_type', 'arch', 'os', 'capacity_type', 'managed', 'resource_type']
/** The labels of `karpenter_pods_state` that are those of the node. They come last. */
export const POD_PLACE = ['node', 'nodepool', 'zone', 'arch', 'capacity_type', 'instance_type', 'managed']

export const SERVED_METRICS = {
  karpenter_nodepools_usage: { type: 'gauge', labels: ['nodepool', 'resource_type'], from: '`status.resources` of the NodePool' },
  karpenter_nodepools_limit: { type: 'gauge', labels: ['nodepool', 'resource_type'], from: '`spec.limits` of the NodePool' },
  karpenter_nodes_allocatable: { type: 'gauge', labels: NODE_LABELS, from: '`status.allocatable` of the node' },
  karpenter_nodes_total_pod_requests: {
    type: 'gauge',
    labels: NODE_LABELS,
    from: 'requests of the pods on the node that no DaemonSet owns',
  },
  karpenter_nodes_total_daemon_requests: {
    type: 'gauge',
    labels: NODE_LABELS,
    from: 'requests of the pods on the node that a DaemonSet owns',
  },
  karpenter_pods_state: {
    type: 'gauge',
    labels: ['name', 'namespace', 'owner', 'scheduled', 'phase', 'ready', ...POD_PLACE],
    from: '1 for each pod that has not ended; a pod that runs is ready unless its condition `Ready` is False',
  },
  karpenter_nodeclaims_created_total: {
    type: 'counter',
    labels: ['nodepool', 'reason', 'min_values_relaxed'],
    from: 'NodeClaims that appeared since the replica leads; `reason` is `drifted` for the replacement of drifted nodes, else `provisioned`',
  },
  karpenter_nodeclaims_terminated_total: {
    type: 'counter',
    labels: ['nodepool', 'capacity_type', 'zone'],
    from: 'NodeClaims that went since the replica leads',
  },
  karpenter_nodeclaims_disrupted_total: {
    type: 'counter',
    labels: ['nodepool', 'capacity_type', 'reason', 'consolidation_policy', 'termination_mode'],
    from: 'NodeClaims whose deletion began since the replica leads, by their condition `DisruptionReason`',
  },
} as const satisfies { readonly [name: string]: ServedMetric }

export type ServedName = keyof typeof SERVED_METRICS

export const COUNTERS: readonly ServedName[] = [
  'karpenter_nodeclaims_created_total',
  'karpenter_nodeclaims_terminated_total',
  'karpenter_nodeclaims_disrupted_total',
]
