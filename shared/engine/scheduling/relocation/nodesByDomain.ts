import type { ExistingNode } from '../model/nodes/existingNode.ts'

/** The nodes by their value of a label, without nodes that have none. Without a label, all nodes are under the empty text. */
export type NodesByDomain = (key: string | undefined) => ReadonlyMap<string, readonly ExistingNode[]>

/** Sorts the nodes once for each label. */
export function nodesByDomain(nodes: readonly ExistingNode[]): NodesByDomain {
  const known = new Map<string | undefined, ReadonlyMap<string, readonly ExistingNode[]>>([[undefined, new Map([['', nodes]])]])
  return (key) => {
    const found = known.get(key) ?? sorted(nodes, key ?? '')
    known.set(key, found)
    return found
  }
}

function sorted(nodes: readonly ExistingNode[], key: string): ReadonlyMap<string, readonly ExistingNode[]> {
  const byDomain = new Map<string, ExistingNode[]>()
  for (const node of nodes) {
    const domain = node.domainOf(key)
    if (domain === undefined) continue
    const own = byDomain.get(domain)
    if (own === undefined) byDomain.set(domain, [node])
    else own.push(node)
  }
  return byDomain
}
