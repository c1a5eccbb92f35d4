import { remembered } from '../../../base/caches.ts'
import { ownValue } from '../../../base/values.ts'
import { type ExistingNode, labelsPass, type MachineView } from '../model/nodes/existingNode.ts'
import { isLookedAt } from '../model/topology/inverseAntiAffinity.ts'
import { countOf, NO_DOMAINS, raise, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { PlannedMove } from './placedPods.ts'

/**
 * Lets the spreads of the pods ignore domains that have no node, and get none by the moves: kube-scheduler knows a domain from the nodes in it. A machine
 * that comes up counts as a node. Returns a function that lets them heed all domains again.
 */
export function ignoreDomainsWithoutNodes(moves: readonly PlannedMove[], nodes: readonly ExistingNode[]): () => void {
  const spread = moves.flatMap(({ log }) => log.flatMap(({ podClass }) => podClass.relaxedPods.at(-1)?.spread ?? []))
  const groups = [...new Set(spread)].filter(({ ofPools }) => ofPools.size > 0)
  if (groups.length === 0) return () => undefined
  const coming = [...nodes.filter(({ stage }) => stage > 0), ...moves.flatMap(({ bins }) => bins)]
  const before = groups.map(({ ignored }) => ignored)
  for (const group of groups) group.ignored = withoutNodes(group, coming)
  return () => {
    for (const [at, group] of groups.entries()) group.ignored = before[at] ?? NO_DOMAINS
  }
}

function withoutNodes({ key, ofPools }: TopologyGroup, coming: readonly Pick<ExistingNode, 'domainsOf'>[]): ReadonlySet<string> {
  const reached = new Set(coming.flatMap((host) => host.domainsOf(key)))
  return ofPools.difference(reached)
}

/** The number of nodes that a spread counts, by domain. Nodes that are being deleted are among them. */
export type NodesIn = (group: TopologyGroup) => ReadonlyMap<string, number>

export function nodesIn(views: () => Iterable<MachineView>): NodesIn {
  return remembered(({ key, filter }) => {
    const counts = new Map<string, number>()
    for (const { labels, taints } of views()) {
      const domain = ownValue(labels, key)
      if (domain !== undefined && (filter === undefined || labelsPass(filter, labels, taints))) raise(counts, domain)
    }
    return counts
  })
}

/**
 * Lets spreads ignore the domains that lose their last node when these nodes are gone. The domains count again if a new machine comes there. Returns a
 * function that takes this back.
 */
export function ignoreDomainsOf(closing: readonly ExistingNode[], groups: readonly TopologyGroup[], nodes: NodesIn): () => void {
  const undo = groups.flatMap((group): readonly (() => void)[] => {
    const lost = lostWith(closing, group, nodes)
    if (lost.size === 0) return []
    const { ignored, ofPools } = group
    const added = lost.difference(ofPools)
    group.ignored = ignored.union(lost)
    for (const domain of added) ofPools.add(domain)
    return [
      () => {
        group.ignored = ignored
        for (const domain of added) ofPools.delete(domain)
      },
    ]
  })
  return () => undo.forEach((each) => each())
}

function lostWith(closing: readonly ExistingNode[], group: TopologyGroup, nodes: NodesIn): ReadonlySet<string> {
  if (group.kind !== 'spread' || group.isHost) return NO_DOMAINS
  const leaving = new Map<string, number>()
  for (const node of closing) {
    const domain = isLookedAt(node, group.filter) ? node.domainOf(group.key) : undefined
    if (domain !== undefined) raise(leaving, domain)
  }
  return new Set([...leaving].flatMap(([domain, count]) => (countOf(nodes(group), domain) === count ? [domain] : [])))
}
