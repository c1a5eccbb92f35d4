import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'

/** What a decision knows besides the objects of the cluster: its time, its settings, nominations of earlier decisions, and what Azure offers. */
export type DecisionContext = Omit<ClusterSnapshot, 'objects'>
