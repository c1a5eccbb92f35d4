import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'

/** What a decision knows besides the objects of the cluster: when it is, the settings, what earlier decisions promised, and what Azure offers. */
export type DecisionContext = Omit<ClusterSnapshot, 'objects'>
