import { findCondition } from '../../model/condition.ts'
import { claimOfInstanceName, type MachineNames, type NodeClaimName, type NodeName, type ProviderId } from '../../model/ids.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { machineNameIn, type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isReady } from './nodeState.ts'

/** Reason of the condition Registered while more than one node carries the provider id of a claim. */
export const MULTIPLE_NODES = 'MultipleNodesFound'

/**
 * Nodes that carry the provider id of a claim and not the name of its node: a second node of one machine, or a node under a new name. A claim with
 * the reason MultipleNodesFound stays in the map until it loses that reason, at last with an empty list. Claims that are gone and left such a node
 * behind are in the map as well.
 */
export function otherNodes(
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  names: MachineNames,
): ReadonlyMap<NodeClaimName, readonly NodeName[]> {
  const byId = new Map<ProviderId, NodeClaim>()
  const found = new Map<NodeClaimName, NodeName[]>()
  for (const claim of claims) {
    if (claim.status.providerId !== undefined) byId.set(claim.status.providerId, claim)
    if (hasMultipleNodes(claim)) found.set(claim.name, [])
  }
  for (const node of nodes) {
    const { name, providerId } = node
    const claim = providerId === undefined ? undefined : byId.get(providerId)
    if (claim !== undefined && name === nodeNameOf(claim, names)) continue
    const owner = claim?.name ?? leftBehindBy(node, names)
    if (owner !== undefined) found.set(owner, [...(found.get(owner) ?? []), name].sort())
  }
  return found
}

/**
 * The claim on whose machine a node without a claim ran. Undefined for a node under its machine's own name, which others handle, and for a ready
 * node, which still runs.
 */
function leftBehindBy(node: Node, names: MachineNames): NodeClaimName | undefined {
  const machine = machineNameIn(node.providerId)
  const isLeft = machine !== undefined && machine !== node.name && isManaged(node) && !isReady(node)
  return isLeft ? claimOfInstanceName(machine, names) : undefined
}

/** Reports whether the claim waits until its machine has one node only. */
export function hasMultipleNodes({ status }: NodeClaim): boolean {
  return findCondition(status.conditions, 'Registered')?.reason === MULTIPLE_NODES
}
