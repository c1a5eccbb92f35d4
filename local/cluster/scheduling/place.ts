import { ownValue } from '../../../shared/base/values.ts'
import type { Pod } from '../client/objects.ts'
import { podRequests } from '../quantity.ts'
import { meetsTerm } from '../selector.ts'
import { untolerated } from '../toleration.ts'
import type { ClusterView, NodeView } from './clusterView.ts'
import { refusalsOfNode } from './nodeFilters.ts'
import { affinityFilter } from './podAffinity.ts'
import { spreadFilter } from './topologySpread.ts'

export type Strategy = 'leastAllocated' | 'mostAllocated'

/** A node for the pod, or the message for the pod's condition and event. */
export type Placement = { readonly node: string } | { readonly message: string }

/** Chooses the node for a pod: all filters, then the best score, then the first by name. */
export function place(pod: Pod, cluster: ClusterView, strategy: Strategy): Placement {
  const nodes = cluster.nodes()
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods' }
  const judges = [spreadFilter(pod, cluster), affinityFilter(pod, cluster)].filter((judge) => judge !== undefined)
  const counts = new Map<string, number>()
  const fitting: NodeView[] = []
  for (const view of nodes) {
    let refusals = refusalsOfNode(pod, view)
    for (const judge of judges) if (refusals.length === 0) refusals = judge(view)
    if (refusals.length === 0) fitting.push(view)
    for (const refusal of refusals) counts.set(refusal, (counts.get(refusal) ?? 0) + 1)
  }
  const nominated = fitting.find((view) => view.node.metadata.name === pod.status?.nominatedNodeName)
  const best = nominated ?? bestOf(pod, fitting, strategy)
  return best === undefined ? { message: refusalMessage(nodes.length, counts) } : { node: best.node.metadata.name }
}

/** Returns a message such as `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
function refusalMessage(nodeCount: number, counts: ReadonlyMap<string, number>): string {
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodeCount} nodes are available: ${reasons.join(', ')}.`
}

function bestOf(pod: Pod, views: readonly NodeView[], strategy: Strategy): NodeView | undefined {
  let best: { readonly view: NodeView; readonly score: number } | undefined
  for (const view of views) {
    const score = scoreOf(pod, view, strategy)
    if (best === undefined || score > best.score) best = { view, score }
  }
  return best?.view
}

/** Weights of the plugins of the real scheduler: taints 3, preferred node affinity 2, allocation 1. Each part is 0 to 100. */
function scoreOf(pod: Pod, view: NodeView, strategy: Strategy): number {
  const shunned = untolerated(view.node.spec.taints, pod.spec.tolerations, ['PreferNoSchedule']) !== undefined
  return 3 * (shunned ? 0 : 100) + 2 * preference(pod, view) + allocation(pod, view, strategy)
}

function preference(pod: Pod, view: NodeView): number {
  const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  if (terms === undefined) return 0
  const total = terms.reduce((sum, term) => sum + term.weight, 0)
  const met = terms.filter((term) => meetsTerm(term.preference, view.node)).reduce((sum, term) => sum + term.weight, 0)
  return total === 0 ? 0 : (100 * met) / total
}

function allocation(pod: Pod, view: NodeView, strategy: Strategy): number {
  const requests = podRequests(pod.spec)
  const used = (resource: string) => {
    const allocatable = ownValue(view.allocatable, resource) ?? 0
    const wanted = (ownValue(view.requested, resource) ?? 0) + (ownValue(requests, resource) ?? 0)
    return allocatable === 0 ? 1 : Math.min(1, wanted / allocatable)
  }
  const mean = (used('cpu') + used('memory')) / 2
  return 100 * (strategy === 'mostAllocated' ? mean : 1 - mean)
}
