import { err, ok, type Result } from '../../base/result.ts'
import { budgetsOf } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import type { ClusterObjects } from './clusterObjects.ts'

/** The pause after a refusal, as if the API server gave none. */
const RETRY_MS = 100

/** Evicts a pod as an API server does. At most one budget may cover the pod. The pod is evicted if the budget allows a disruption. */
export function evictPod(objects: ClusterObjects, pod: Pod, exitMs: number): Result<'evicted' | 'gone', Problem> {
  const stored = objects.get('pod', pod.key)
  if (stored === undefined || stored.uid !== pod.uid) return ok('gone')
  const budgets = needsBudget(stored) ? budgetsOf(stored, objects.all('podDisruptionBudget')) : []
  const [budget] = budgets
  if (budgets.length > 1) return blocked(pod, 'more than one PodDisruptionBudget covers the pod', { status: 500 })
  const takes = budget !== undefined && !isFreeToGo(stored, budget)
  if (takes && budget.disruptionsAllowed <= 0)
    return blocked(pod, `the disruption budget ${budget.key} needs all of its pods`, { status: 429, budget: budget.key })
  if (takes) objects.put('podDisruptionBudget', { ...budget, disruptionsAllowed: budget.disruptionsAllowed - 1 })
  objects.endPod(stored.key, exitMs)
  return ok('evicted')
}

/** Reports whether the eviction of the pod counts against a budget. A pod that does not run, or is terminating already, does not count. */
function needsBudget(pod: Pod): boolean {
  return pod.phase === 'Running' && pod.deletedAt === undefined
}

/** Reports whether an unhealthy pod may be evicted without a disruption: the policy of the budget allows it, or enough pods are healthy. */
function isFreeToGo(pod: Pod, { unhealthyPodEvictionPolicy, currentHealthy = 0, desiredHealthy = 0 }: PodDisruptionBudget): boolean {
  const hasEnough = desiredHealthy > 0 && currentHealthy >= desiredHealthy
  return pod.isUnready === true && (unhealthyPodEvictionPolicy === 'AlwaysAllow' || hasEnough)
}

function blocked(pod: Pod, why: string, fields: NonNullable<Problem['fields']>): Result<never, Problem> {
  const object = `pod/${pod.key}`
  return err(problem('KUBE.EVICTION_BLOCKED', `evict ${object}: ${why}`, { object, retryAfterMs: RETRY_MS, fields }))
}
