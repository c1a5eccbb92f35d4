import { selects } from '../../model/labelSelector.ts'
import type { Pod } from '../../model/pod.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'

/**
 * True when no eviction of the pod can ever succeed: its budget lets no pod be away, or it has more than one budget, which makes every
 * eviction an error. A budget that has nothing left just now will have again.
 */
export function isHeldForGood(pod: Pod, budgets: readonly PodDisruptionBudget[]): boolean {
  const namespace = pod.key.slice(0, pod.key.indexOf('/') + 1)
  const [budget, ...others] = budgets.filter((each) => each.key.startsWith(namespace) && selects(each.selector, pod.labels))
  if (budget === undefined) return false
  const { maxUnavailable, minAvailable } = budget
  return others.length > 0 || maxUnavailable === '0' || maxUnavailable === '0%' || minAvailable === '100%'
}
