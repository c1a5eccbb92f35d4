import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { Workload } from '../../../../model/workloads.ts'

export type WorkloadSources = Pick<ClusterSnapshot['objects'], 'deployment' | 'statefulSet' | 'replicaSet' | 'replicationController'>

/** What owns or scales pods, of every kind. */
export function workloadsOf({ deployment, statefulSet, replicaSet, replicationController }: WorkloadSources): readonly Workload[] {
  return [...deployment, ...statefulSet, ...replicaSet, ...replicationController]
}
