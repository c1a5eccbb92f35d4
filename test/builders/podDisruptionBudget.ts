import { objectKey, uid } from '../../shared/model/ids.ts'
import type { PodDisruptionBudget } from '../../shared/model/workloads.ts'

/** A PodDisruptionBudget that allows no eviction in the namespace. */
export const HOLDS_ALL: PodDisruptionBudget = {
  key: objectKey('default', 'all'),
  uid: uid('all'),
  selector: { matchLabels: {}, matchExpressions: [] },
  disruptionsAllowed: 0,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  conditions: [],
}
