/** Finds the PodDisruptionBudgets of a pod. Copies of one template share their labels, so their budgets are looked up once. */
import { budgetsOf } from '../../../model/budgets.ts'
import { namespaceOf } from '../../../model/ids.ts'
import type { Labels } from '../../../model/meta.ts'
import type { Pod } from '../../../model/pod.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'

export type BudgetsOf = (pod: Pod) => readonly PodDisruptionBudget[]

export function podBudgets(budgets: readonly PodDisruptionBudget[]): BudgetsOf {
  const byNamespace = Map.groupBy(budgets, namespaceOf)
  const known = new Map<string, WeakMap<Labels, readonly PodDisruptionBudget[]>>()
  return (pod) => {
    const namespace = namespaceOf(pod)
    const near = byNamespace.get(namespace)
    if (near === undefined) return NONE
    const ofNamespace = known.get(namespace) ?? new WeakMap<Labels, readonly PodDisruptionBudget[]>()
    known.set(namespace, ofNamespace)
    const same = ofNamespace.get(pod.labels)
    if (same !== undefined) return same
    const own = budgetsOf(pod, near)
    ofNamespace.set(pod.labels, own)
    return own
  }
}

const NONE: readonly PodDisruptionBudget[] = []
