import type { ExistingNode } from '../model/nodes/existingNode.ts'
import { NO_DOMAINS, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { PlannedMove } from './plannedMove.ts'

/**
 * Lets the spreads of the pods ignore domains that have no node, and get none by the moves: kube-scheduler knows a domain from the nodes in it. A machine
 * that comes up counts as a node. Returns a function that lets them heed all domains again.
 */
export function ignoreDomainsWithoutNodes(moves: readonly PlannedMove[], nodes: readonly ExistingNode[]): () => void {
  const spread = moves.flatMap(({ log }) => log.flatMap(({ podClass }) => podClass.relaxedPods.at(-1)?.spread ?? []))
  const groups = [...new Set(spread)].filter(({ ofPools }) => ofPools.size > 0)
  if (groups.length === 0) return () => undefined
  const coming = [...nodes.filter(({ stage }) => stage > 0), ...moves.flatMap(({ bins }) => bins)]
  for (const group of groups) group.ignored = withoutNodes(group, coming)
  return () => {
    for (const group of groups) group.ignored = NO_DOMAINS
  }
}

function withoutNodes({ key, ofPools }: TopologyGroup, coming: readonly Pick<ExistingNode, 'domainsOf'>[]): ReadonlySet<string> {
  const reached = new Set(coming.flatMap((host) => host.domainsOf(key)))
  return ofPools.difference(reached)
}
