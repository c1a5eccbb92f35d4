import { byKey } from '../../../base/order.ts'
import { isTrue } from '../../../model/condition.ts'
import type { OpenNode } from '../../../model/decision.ts'
import { ANNOTATION, TAINT_KEY } from '../../../model/labels.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import type { Fleet } from '../../cluster/fleet.ts'
import type { Leaving } from '../../cluster/leaving.ts'
import { isEnding, type StateNode } from '../../cluster/stateNode.ts'

/** Condition of a claim that is about to be taken away. */
export const DISRUPTION_REASON = 'DisruptionReason'

/**
 * Marks that nobody stands for: left by a process that died, or by a host that lost its lease. What is ending keeps its marks, since its steps
 * need them.
 */
export function sweepMarks(fleet: Fleet, leaving: Leaving): readonly OpenNode[] {
  const opened: OpenNode[] = []
  for (const machine of fleet.all()) {
    const { claim, node } = machine
    if (claim === undefined || !isMarked(machine) || leaving.get(claim.name) === claim.meta.uid) continue
    if (isEnding(claim) || node?.meta.deletedAt !== undefined || !isOurs(claim.spec.nodeClassRef)) continue
    // Azure takes the machine: its node was closed for that, and its claim may end at any moment.
    if (claim.meta.annotations[ANNOTATION.terminationTimestamp] !== undefined) continue
    opened.push({ kind: 'openNode', claim: claim.name, uid: claim.meta.uid })
  }
  return opened.sort(byKey(({ claim }) => claim))
}

function isMarked(machine: StateNode): boolean {
  return isTainted(machine) || isTrue(machine.claim?.status.conditions ?? [], DISRUPTION_REASON)
}

/** Its node is closed to pods. */
export function isTainted({ node }: StateNode): boolean {
  return node?.taints.some(({ key }) => key === TAINT_KEY.disrupted) === true
}
