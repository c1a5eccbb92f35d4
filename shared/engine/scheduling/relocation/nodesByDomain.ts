import { remembered } from '../../../base/remembered.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'

/** The domain of pods that may go to any domain. */
export const ANYWHERE = ''

/** The nodes by their value of a label. Undefined stands for nodes without the label. If no label is asked for, all nodes are `ANYWHERE`. */
export type NodesByDomain = (key: string | undefined) => ReadonlyMap<string | undefined, readonly ExistingNode[]>

/** Sorts the nodes once for each label. */
export function nodesByDomain(nodes: readonly ExistingNode[]): NodesByDomain {
  return remembered((key) => Map.groupBy(nodes, (node) => (key === undefined ? ANYWHERE : node.domainOf(key))))
}
