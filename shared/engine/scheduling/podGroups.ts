import { canonicalJson } from '../../base/canonicalJson.ts'
import type { Pod } from '../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import type { Toleration } from '../../model/taint.ts'
import type { Amounts, Axes } from './amounts.ts'

/** Where a pod may run, apart from its size. Pods with the same text share one. */
export type Constraint = {
  readonly id: number
  readonly tolerations: readonly Toleration[]
  /** Any of these must be met: node selector together with each term of the required node affinity. */
  readonly alternatives: readonly Requirements[]
}

/** Pods that no rule can tell apart: placed as a number, not one by one. */
export type PodGroup = {
  readonly id: number
  /** In queue order. */
  readonly pods: readonly Pod[]
  readonly requests: Resources
  readonly amounts: Amounts
  readonly constraint: Constraint
}

/** Groups pods that are in queue order; groups come in the order of their first pods. */
export function groupPods(pods: readonly Pod[], axes: Axes): readonly PodGroup[] {
  const constraints = new Map<string, Constraint>()
  const groups = new Map<string, PodGroup & { readonly pods: Pod[] }>()
  for (const pod of pods) {
    const where = canonicalJson([pod.nodeSelector, pod.requiredNodeTerms ?? null, pod.tolerations])
    const key = `${where}${canonicalJson(pod.requests)}`
    const group = groups.get(key)
    if (group !== undefined) {
      group.pods.push(pod)
      continue
    }
    const constraint = constraints.get(where) ?? { id: constraints.size, ...constraintsOf(pod) }
    constraints.set(where, constraint)
    groups.set(key, { id: groups.size, pods: [pod], requests: pod.requests, amounts: axes.amounts(pod.requests), constraint })
  }
  return [...groups.values()]
}

export function constraintsOf(pod: Pod): Omit<Constraint, 'id'> {
  const selector = requirementsFromLabels(pod.nodeSelector)
  const terms = pod.requiredNodeTerms
  // A term without expressions matches no node; no terms at all match every node.
  const alternatives = terms
    ?.filter((term) => term.matchExpressions.length > 0)
    .map((term) => intersectAll(selector, requirementsFrom(term.matchExpressions)))
  return { tolerations: pod.tolerations, alternatives: alternatives ?? [selector] }
}
