/** The number of counted pods in each domain of a spread constraint, updated while pods are bound. */
import { ownValue } from '../../shared/base/values.ts'
import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import type { Pod, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import { nameOf, runsOn, toleratesAll } from './kubernetesRules.ts'
import type { NodeView, SimulatedNode } from './nodeView.ts'
import { withOwnLabels } from './ownLabels.ts'

export interface SpreadCounts {
  /** The counts by domain, for a pod that may be bound to this node. Valid until the next pod is bound. */
  of(constraint: TopologySpreadConstraint, pod: Pod, node: SimulatedNode): ReadonlyMap<string, number>
  bound(pod: Pod, node: SimulatedNode): void
}

type Counter = {
  readonly counts: Map<string, number>
  /** The domain of the node. Undefined if the constraint ignores the node. */
  readonly domainOf: (view: NodeView) => string | undefined
  readonly isCounted: (pod: Pod) => boolean
}

export function createSpreadCounts(nodes: readonly SimulatedNode[]): SpreadCounts {
  const counters = new Map<string, Counter>()

  function counterOf(constraint: TopologySpreadConstraint, pod: Pod): Counter {
    const mark = markOf(constraint, pod)
    const known = counters.get(mark)
    if (known !== undefined) return known
    const counter: Counter = { counts: new Map(), domainOf: domainsOf(constraint, pod), isCounted: countedBy(constraint, pod) }
    for (const node of nodes) if (isUp(node)) count(counter, node.view, node.pods)
    counters.set(mark, counter)
    return counter
  }

  return {
    of(constraint, pod, node) {
      const { counts, domainOf } = counterOf(constraint, pod)
      const domain = domainOf(node.view)
      return domain === undefined || counts.has(domain) ? counts : new Map([...counts, [domain, 0]])
    },
    bound(pod, { view }) {
      // A node in flight may be the first of its domain, so its first pod adds the node. On other nodes only counted pods matter.
      for (const counter of counters.values()) if (view.mayJoinLater || counter.isCounted(pod)) count(counter, view, [pod])
    },
  }
}

export function hardSpread({ topologySpread }: Pod): readonly TopologySpreadConstraint[] {
  return topologySpread.filter((each) => each.whenUnsatisfiable === 'DoNotSchedule')
}

export function countedBy({ selector, matchLabelKeys }: TopologySpreadConstraint, pod: Pod): (other: Pod) => boolean {
  const home = namespaceOf(pod)
  const asked = withOwnLabels(selector, pod, matchLabelKeys, [])
  return (other) => selects(asked, other.labels) && other.deletedAt === undefined && namespaceOf(other) === home
}

/** A key of everything that the counts depend on. */
function markOf(constraint: TopologySpreadConstraint, pod: Pod): string {
  const { nodeSelector, requiredNodeTerms, tolerations } = pod
  const own = constraint.matchLabelKeys.map((key) => ownValue(pod.labels, key) ?? null)
  const keys = hardSpread(pod).map((each) => each.topologyKey)
  return JSON.stringify([constraint, keys, namespaceOf(pod), own, nodeSelector, requiredNodeTerms ?? null, tolerations])
}

function domainsOf(constraint: TopologySpreadConstraint, pod: Pod): Counter['domainOf'] {
  const keys = hardSpread(pod).map((each) => nameOf(each.topologyKey))
  const key = nameOf(constraint.topologyKey)
  return (view) => {
    const hasAll = keys.every((each) => ownValue(view.labels, each) !== undefined)
    return hasAll && takesPart(constraint, pod, view) ? ownValue(view.labels, key) : undefined
  }
}

function takesPart({ nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, pod: Pod, view: NodeView): boolean {
  return (
    (nodeAffinityPolicy === 'Ignore' || runsOn(pod, view.labels)) &&
    (nodeTaintsPolicy === 'Ignore' || toleratesAll(pod.tolerations, view.taints))
  )
}

function count({ counts, domainOf, isCounted }: Counter, view: NodeView, pods: readonly Pod[]): void {
  const domain = domainOf(view)
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + pods.filter(isCounted).length)
}

/** Reports whether the node counts. A node in flight counts only after its first pod is bound. */
function isUp({ view, pods }: SimulatedNode): boolean {
  return !view.mayJoinLater || pods.length > 0
}
