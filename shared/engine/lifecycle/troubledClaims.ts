import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { stateNodes } from '../cluster/stateNode.ts'
import { isReady } from './nodeState.ts'

/**
 * Claims that count as settled, while their node is gone, going or not ready: nobody looks at them again by themselves, and
 * the machine behind may be gone, too.
 */
export function troubledClaims(nodes: readonly Node[], claims: readonly NodeClaim[]): readonly NodeClaim[] {
  return stateNodes({ node: nodes, nodeClaim: claims, pod: [] }).flatMap(({ node, claim }) => {
    if (claim === undefined || claim.meta.deletedAt !== undefined) return []
    const isWell = node !== undefined && node.meta.deletedAt === undefined && isReady(node)
    const wasReady = claim.status.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True')
    return isWell || !wasReady ? [] : [claim]
  })
}
