import { ownValue } from '../../../shared/base/values.ts'
import type { Pod } from '../client/objects.ts'
import { type LabelSelector, selects } from '../selector.ts'
import type { ClusterView, NodeView } from './clusterView.ts'
import type { Refusals } from './nodeFilters.ts'

type Affinity = NonNullable<Pod['spec']['affinity']>
type Term = NonNullable<NonNullable<Affinity['podAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']>[number]

/** Domains of a rule, each as `key=value`. */
type Domains = ReadonlySet<string>

/** Returns a filter of nodes for the required pod affinity and anti-affinity of the pod itself and of running pods. */
export function affinityFilter(pod: Pod, cluster: ClusterView): ((view: NodeView) => Refusals) | undefined {
  const together = termsOf(pod, 'podAffinity')
  const apart = termsOf(pod, 'podAntiAffinity')
  const repelled = domainsThatRepel(pod, cluster)
  if (together.length === 0 && apart.length === 0 && repelled.size === 0) return undefined
  const near = domainsWith(cluster, together, (other) => together.every((term) => matches(term, pod, other, cluster)))
  // The first pod of a group with affinity to itself has no other pod to be near to.
  const isFirst = near.size === 0 && together.every((term) => matches(term, pod, pod, cluster))
  const far = apart.map((term) => domainsWith(cluster, [term], (other) => matches(term, pod, other, cluster)))
  return (view) => {
    const beside = together.every((term) => {
      const domain = domainOf(view, term.topologyKey)
      return domain !== undefined && (isFirst || near.has(domain))
    })
    if (!beside) return ["node(s) didn't match pod affinity rules"]
    if (apart.some((term, index) => far[index]?.has(domainOf(view, term.topologyKey) ?? ''))) {
      return ["node(s) didn't match pod anti-affinity rules"]
    }
    const labels = Object.entries(view.node.metadata.labels ?? {})
    return labels.some(([key, value]) => repelled.has(`${key}=${value}`))
      ? ["node(s) didn't satisfy existing pods anti-affinity rules"]
      : []
  }
}

function termsOf(pod: Pod, kind: 'podAffinity' | 'podAntiAffinity'): readonly Term[] {
  return pod.spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

function domainsThatRepel(pod: Pod, cluster: ClusterView): Domains {
  const domains = new Set<string>()
  for (const view of cluster.nodes()) {
    for (const other of view.pods.values()) {
      // Most pods have no anti-affinity.
      if (other.spec.affinity?.podAntiAffinity === undefined) continue
      const repelling = termsOf(other, 'podAntiAffinity').filter((term) => matches(term, other, pod, cluster))
      for (const { topologyKey } of repelling) domains.add(domainOf(view, topologyKey) ?? '')
    }
  }
  return domains
}

function domainsWith(cluster: ClusterView, terms: readonly Term[], isMeant: (other: Pod) => boolean): Domains {
  const domains = new Set<string>()
  if (terms.length === 0) return domains
  for (const view of cluster.nodes()) {
    if (![...view.pods.values()].some(isMeant)) continue
    for (const term of terms) {
      const domain = domainOf(view, term.topologyKey)
      if (domain !== undefined) domains.add(domain)
    }
  }
  return domains
}

function domainOf({ node }: NodeView, key: string): string | undefined {
  const value = ownValue(node.metadata.labels, key)
  return value === undefined ? undefined : `${key}=${value}`
}

/** Reports whether the term of `owner` selects `other`. */
function matches(term: Term, owner: Pod, other: Pod, cluster: ClusterView): boolean {
  return inNamespace(term, owner, other, cluster) && selects(selectorOf(term, owner), other.metadata.labels)
}

function inNamespace(term: Term, owner: Pod, other: Pod, cluster: ClusterView): boolean {
  const named = term.namespaces ?? []
  const namespace = other.metadata.namespace ?? ''
  if (named.length === 0 && term.namespaceSelector === undefined) return namespace === owner.metadata.namespace
  return named.includes(namespace) || selects(term.namespaceSelector, cluster.namespaceLabels(namespace))
}

function selectorOf(term: Term, owner: Pod): LabelSelector | undefined {
  if (term.labelSelector === undefined) return undefined
  const own = (keys: readonly string[] | undefined, operator: 'In' | 'NotIn') =>
    (keys ?? []).flatMap((key) => {
      const value = ownValue(owner.metadata.labels, key)
      return value === undefined ? [] : [{ key, operator, values: [value] }]
    })
  const extra = [...own(term.matchLabelKeys, 'In'), ...own(term.mismatchLabelKeys, 'NotIn')]
  return { ...term.labelSelector, matchExpressions: [...(term.labelSelector.matchExpressions ?? []), ...extra] }
}
