import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { Workload } from '../../../../model/workloads.ts'

export type WorkloadSources = Pick<ClusterSnapshot['objects'], 'deployment' | 'statefulSet' | 'replicaSet' | 'replicationController'>

/** The workloads of every kind that owns or scales pods. */
export function workloadsOf({ deployment, statefulSet, replicaSet, replicationController }: WorkloadSources): readonly Workload[] {
  return [...deployment, ...statefulSet, ...replicaSet, ...replicationController]
}
