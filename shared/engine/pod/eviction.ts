import { PLANNED_DELETION_COST, POD_ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { budgetsOf } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
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

const COST_UNIT = 2 ** 27
const PRIORITY_UNIT = 2 ** 25
const LARGEST_COST = 10
const WHOLE_NUMBER = /^[+-]?\d+$/
const LARGEST_INT32 = 2 ** 31 - 1

/**
 * The cost of moving a pod, as Karpenter counts it: from -10 to 10, and 1 for a plain pod. A higher priority or written cost raises it. The
 * disruption cost of the pod comes before its deletion cost, which is about the order of a scale-down.
 */
export function evictionCost(pod: Pick<Pod, 'priority' | 'annotations'>): number {
  const cost = 1 + writtenCost(pod) / COST_UNIT + pod.priority / PRIORITY_UNIT
  return Math.max(-LARGEST_COST, Math.min(LARGEST_COST, cost))
}

/**
 * What the annotations of the pod ask for, 0 if they ask for nothing. Only a whole number of 32 bits counts. The deletion cost that Joiner writes does
 * not: otherwise a plan would make its own moves cheaper, and each decision would change the next one.
 */
function writtenCost({ annotations }: Annotated): number {
  const ofDeletion = isCostPlanned({ annotations }) ? undefined : annotations[POD_ANNOTATION.deletionCost]
  const written = annotations[POD_ANNOTATION.disruptionCost] ?? ofDeletion ?? ''
  const cost = WHOLE_NUMBER.test(written) ? Number(written) : 0
  return cost >= -LARGEST_INT32 - 1 && cost <= LARGEST_INT32 ? cost : 0
}

/** The share of its lifetime that the machine has left, from 0 to 1. It is 1 for a machine that never expires. */
export function lifetimeRemaining({ spec, meta }: NodeClaim, now: EpochMs): number {
  const { expireAfter } = spec
  if (expireAfter === 'Never') return 1
  if (expireAfter <= 0) return 0
  return Math.max(0, Math.min(1, (expireAfter - (now - meta.createdAt)) / expireAfter))
}

type Annotated = Pick<Pod, 'annotations'>

/** Reports whether the pod has the deletion cost that Joiner writes. */
export function isCostPlanned({ annotations }: Annotated): boolean {
  return annotations[POD_ANNOTATION.deletionCost] === PLANNED_DELETION_COST
}

/** Reports whether the pod may get the deletion cost that Joiner writes: a ReplicaSet owns the pod, and the pod has no cost yet. */
export function mayGetCost({ owner, annotations }: Annotated & Pick<Pod, 'owner'>): boolean {
  const isOfSet = owner?.kind === 'ReplicaSet' && owner.apiVersion === 'apps/v1' && owner.controls !== false
  return isOfSet && annotations[POD_ANNOTATION.deletionCost] === undefined
}
