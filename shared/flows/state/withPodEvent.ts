import type { MachineNames, NodeName } from '../../model/ids.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'

/** The claim with the time at which a pod last left its node, if that is later than its own. `consolidateAfter` runs from that time. */
export function withPodEvent(
  claim: NodeClaim,
  seen: { readonly podLeftAt: (node: NodeName) => EpochMs | undefined },
  names: MachineNames,
): NodeClaim {
  const leftAt = seen.podLeftAt(nodeNameOf(claim, names))
  const known = claim.status.lastPodEventAt
  return leftAt === undefined || (known !== undefined && known >= leftAt)
    ? claim
    : { ...claim, status: { ...claim.status, lastPodEventAt: leftAt } }
}
