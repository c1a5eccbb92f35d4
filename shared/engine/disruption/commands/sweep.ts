import { byKey } from '../../../base/order.ts'
import { DISRUPTION_REASON, isTrue } from '../../../model/condition.ts'
import type { OpenNode } from '../../../model/decision.ts'
import { ANNOTATION, TAINT_KEY } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import type { EpochMs } from '../../../model/units.ts'
import { createFindings, type Finding } from '../../cluster/findings.ts'
import type { Fleet } from '../../cluster/fleet.ts'
import type { Leaving } from '../../cluster/leaving.ts'
import { isEnding, type StateNode } from '../../cluster/stateNode.ts'

export type Sweep = (fleet: Fleet, now: EpochMs, leaving: Leaving) => readonly OpenNode[]

/**
 * Finds marks that belong to no move, left by a process that died or by a host that lost its lease. A claim that is ending keeps its marks, since its
 * steps need them.
 */
export function createSweep(): Sweep {
  const findings = createFindings<NodeClaim>()
  return (fleet, now, leaving) =>
    findings(fleet, now, stale)
      .found.filter((claim) => leaving.get(claim.name) !== claim.meta.uid)
      .map((claim): OpenNode => ({ kind: 'openNode', claim: claim.name, uid: claim.meta.uid }))
      .sort(byKey(({ claim }) => claim))
}

/** Finds a claim that is marked and not ending. */
function stale(machine: StateNode): Finding<NodeClaim> {
  const { claim, node } = machine
  if (claim === undefined) return {}
  if (!isTainted(machine) && !isTrue(claim.status.conditions, DISRUPTION_REASON)) return {}
  if (isEnding(claim) || node?.meta.deletedAt !== undefined || !isOurs(claim.spec.nodeClassRef)) return {}
  // Azure takes a machine with this annotation. Its node was closed for that, and its claim may end at any moment.
  return claim.meta.annotations[ANNOTATION.terminationTimestamp] === undefined ? { found: claim } : {}
}

/** Reports whether the node has the taint that closes it to pods. */
export function isTainted({ node }: StateNode): boolean {
  return node?.taints.some(({ key }) => key === TAINT_KEY.disrupted) === true
}
