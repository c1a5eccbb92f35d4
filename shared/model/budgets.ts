import { namespaceOf } from './ids.ts'
import { selects } from './labelSelector.ts'
import type { Pod } from './pod.ts'
import type { PodDisruptionBudget } from './workloads.ts'

/** Returns the budgets that apply to an eviction of the pod. With more than one budget the API server refuses every eviction with an error. */
export function budgetsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  const namespace = namespaceOf(pod)
  return budgets.filter((budget) => namespaceOf(budget) === namespace && selects(budget.selector, pod.labels))
}
