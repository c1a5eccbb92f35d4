import { budgetsOf } from '../../model/budgets.ts'
import type { Pod } from '../../model/pod.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'

/**
 * True when no eviction of the pod can ever succeed: its budget lets no pod be away, or it has more than one budget, which makes every
 * eviction an error. A budget that has nothing left just now will have again.
 */
export function isHeldForGood(pod: Pod, budgets: readonly PodDisruptionBudget[]): boolean {
  const [budget, ...others] = budgetsOf(pod, budgets)
  if (budget === undefined) return false
  const { maxUnavailable, minAvailable } = budget
  return others.length > 0 || maxUnavailable === '0' || maxUnavailable === '0%' || minAvailable === '100%'
}
