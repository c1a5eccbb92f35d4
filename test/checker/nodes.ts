/** The nodes of a cluster while pods are bound to them one after another. */
import type { Pod } from '../../shared/model/pod.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import type { NodeView, SimulatedNode } from './nodeView.ts'
import { createSpreadCounts, type SpreadCounts } from './spreadCounts.ts'

export type Nodes = {
  readonly all: readonly SimulatedNode[]
  readonly byView: ReadonlyMap<NodeView, SimulatedNode>
  readonly spread: SpreadCounts
  readonly namespaces: readonly Namespace[]
}

export function nodesOf(views: readonly NodeView[], namespaces: readonly Namespace[]): Nodes {
  const all = views.map((view): SimulatedNode => ({ view, pods: [...view.bound], keepers: view.bound.filter(keepsAway), daemons: [] }))
  return { all, byView: new Map(all.map((each) => [each.view, each])), spread: createSpreadCounts(all), namespaces }
}

export function bindTo(node: SimulatedNode, pod: Pod, { spread }: Nodes): void {
  node.pods.push(pod)
  if (keepsAway(pod)) node.keepers.push(pod)
  spread.bound(pod, node)
}

function keepsAway({ podAntiAffinity }: Pod): boolean {
  return podAntiAffinity.required.length > 0
}
