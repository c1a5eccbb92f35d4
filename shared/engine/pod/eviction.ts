import { budgetsOf } from '../../model/budgets.ts'
import type { Pod } from '../../model/pod.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'

/**
 * The budgets that refuse an eviction of the pod now, by the rules of the API server. With more than one budget on a pod every eviction is an
 * error, so all of them are returned then. A pod that does not run, or is not healthy while its budget has enough healthy pods, takes nothing
 * from a budget.
 *
 * https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
export function blockingBudgets(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  if (pod.phase !== 'Running' || pod.deletedAt !== undefined) return []
  const own = budgetsOf(pod, budgets)
  return own.length > 1 ? own : own.filter((budget) => budget.disruptionsAllowed <= 0 && !mayGoUnhealthy(pod, budget))
}

function mayGoUnhealthy(pod: Pod, { unhealthyPodEvictionPolicy, currentHealthy = 0, desiredHealthy = 0 }: PodDisruptionBudget): boolean {
  if (pod.isUnready !== true) return false
  return unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
}

/**
 * Reports whether no eviction of the pod can succeed while things stay as they are: its budget never lets a pod be away, or it has more than one
 * budget. A budget that has nothing left just now will have again.
 */
export function isHeldForGood(pod: Pod, budgets: readonly PodDisruptionBudget[]): boolean {
  const [budget, ...others] = budgetsOf(pod, budgets)
  if (budget === undefined) return false
  return others.length > 0 || (allowsNothing(budget) && !mayGoUnhealthy(pod, budget))
}

/** Reports whether a budget allows no disruption, as written or as counted: it asks for as many healthy pods as its workloads are to have. */
function allowsNothing({
  maxUnavailable,
  minAvailable,
  disruptionsAllowed,
  desiredHealthy = 0,
  expectedPods = 0,
}: PodDisruptionBudget): boolean {
  if (maxUnavailable === '0' || maxUnavailable === '0%' || minAvailable === '100%') return true
  return disruptionsAllowed <= 0 && expectedPods > 0 && desiredHealthy >= expectedPods
}
