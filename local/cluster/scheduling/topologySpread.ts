import { ownValue } from '../../../shared/base/values.ts'
import type { Node, Pod } from '../client/objects.ts'
import { isTerminating } from '../podState.ts'
import { type LabelSelector, selects, selectsNode } from '../selector.ts'
import { untolerated } from '../toleration.ts'
import type { ClusterView, NodeView } from './clusterView.ts'
import type { Refusals } from './nodeFilters.ts'

type Constraint = NonNullable<Pod['spec']['topologySpreadConstraints']>[number]

/** The number of counted pods by domain. */
type Counted = { readonly constraint: Constraint; readonly selector: LabelSelector; readonly byDomain: ReadonlyMap<string, number> }

const UNEVEN = "node(s) didn't match pod topology spread constraints"

/** Returns a filter of nodes for the pod's required spread constraints. Undefined if it has none. */
export function spreadFilter(pod: Pod, cluster: ClusterView): ((view: NodeView) => Refusals) | undefined {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter((constraint) => constraint.whenUnsatisfiable === 'DoNotSchedule')
  if (hard.length === 0) return undefined
  const keys = hard.map((constraint) => constraint.topologyKey)
  const counted = hard.map((constraint) => count(pod, constraint, keys, cluster))
  return ({ node }) => {
    for (const { constraint, selector, byDomain } of counted) {
      const domain = ownValue(node.metadata.labels, constraint.topologyKey)
      if (domain === undefined) return [`${UNEVEN} (missing required label)`]
      const self = selects(selector, pod.metadata.labels) ? 1 : 0
      if ((byDomain.get(domain) ?? 0) + self - least(constraint, byDomain) > constraint.maxSkew) return [UNEVEN]
    }
    return []
  }
}

function count(pod: Pod, constraint: Constraint, keys: readonly string[], cluster: ClusterView): Counted {
  const selector = selectorOf(pod, constraint)
  const byDomain = new Map<string, number>()
  for (const { node, pods } of cluster.nodes()) {
    const domain = ownValue(node.metadata.labels, constraint.topologyKey)
    const everyKey = keys.every((key) => ownValue(node.metadata.labels, key) !== undefined)
    if (domain === undefined || !everyKey || !isEligible(pod, constraint, node)) continue
    let matching = 0
    for (const other of pods.values()) {
      const same = other.metadata.namespace === pod.metadata.namespace && !isTerminating(other)
      if (same && selects(selector, other.metadata.labels)) matching++
    }
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + matching)
  }
  return { constraint, selector, byDomain }
}

function selectorOf(pod: Pod, constraint: Constraint): LabelSelector {
  // Without a selector the constraint counts no pods.
  const selector = constraint.labelSelector ?? { matchExpressions: [{ key: '', operator: 'Exists' }] }
  const own = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = ownValue(pod.metadata.labels, key)
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }]
  })
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...own] }
}

function isEligible(pod: Pod, constraint: Constraint, node: Node): boolean {
  const byAffinity = constraint.nodeAffinityPolicy === 'Ignore' || selectsNode(pod.spec, node)
  const byTaints =
    constraint.nodeTaintsPolicy !== 'Honor' ||
    untolerated(node.spec.taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) === undefined
  return byAffinity && byTaints
}

function least(constraint: Constraint, byDomain: ReadonlyMap<string, number>): number {
  if (byDomain.size < (constraint.minDomains ?? 1)) return 0
  return Math.min(...byDomain.values())
}
