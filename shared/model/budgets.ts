import { namespaceOf } from './ids.ts'
import { selects } from './labelSelector.ts'
import type { Pod } from './pod.ts'
import type { PodDisruptionBudget } from './workloads.ts'

/** The budgets an eviction of the pod has to ask. More than one makes every eviction an error. */
export function budgetsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  const namespace = namespaceOf(pod)
  return budgets.filter((budget) => namespaceOf(budget) === namespace && selects(budget.selector, pod.labels))
}
