import { claimOfInstanceName, type MachineNames, type NodeClaimName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { stateNodes } from '../cluster/stateNode.ts'
import { isConsistencyKnown } from './consistency.ts'
import { isReady } from './nodeState.ts'

/**
 * Claims that count as settled although their node is gone, is being deleted, is not ready, or differs from what the claim says about it. Also claims
 * that left a node behind. Nothing looks at these claims again by itself, and their machine may be gone as well.
 */
export function unhealthyClaims(nodes: readonly Node[], claims: readonly NodeClaim[], names: MachineNames): readonly NodeClaimName[] {
  return stateNodes({ node: nodes, nodeClaim: claims, pod: [] }).flatMap(({ node, claim }) => {
    if (claim === undefined) return (node && leftBehindBy(node, names)) ?? []
    if (claim.meta.deletedAt !== undefined) return []
    const isWell = node !== undefined && node.meta.deletedAt === undefined && isReady(node) && isConsistencyKnown(claim, node)
    const wasReady = claim.status.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True')
    return isWell || !wasReady ? [] : [claim.name]
  })
}

/** The claim from which a node without a claim came. Undefined for a ready node: its machine runs, and garbage collection ends it. */
function leftBehindBy(node: Node, names: MachineNames): NodeClaimName | undefined {
  const isLeft = isManaged(node) && node.meta.finalizers.includes(FINALIZER) && !isReady(node)
  return isLeft ? claimOfInstanceName(node.name, names) : undefined
}
