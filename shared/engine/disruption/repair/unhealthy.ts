/** Finds machines that are sick according to the conditions of their nodes. */
import { byText } from '../../../base/order.ts'
import { type Condition, type ConditionStatus, findCondition } from '../../../model/condition.ts'
import type { Node } from '../../../model/node.ts'
import { deadlineOf, type NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { Finding } from '../../cluster/findings.ts'
import type { StateNode } from '../../cluster/stateNode.ts'

type Policy = { readonly type: string; readonly status: ConditionStatus; readonly toleration: DurationMs }

/**
 * The repair policies of Karpenter's AKS provider. Without `PreemptionScheduled`: a machine that Azure takes is interrupted, so that its pods keep
 * the grace that Azure gives.
 */
const POLICIES: readonly Policy[] = [
  { type: 'Ready', status: 'False', toleration: durationMs(10 * 60_000) },
  { type: 'Ready', status: 'Unknown', toleration: durationMs(10 * 60_000) },
  { type: 'kubernetes.azure.com/NodeHealthy', status: 'False', toleration: durationMs(0) },
]

/** A machine that may be repaired from `dueAt` on, with the condition that asks for it first. */
export type UnhealthyMachine = {
  readonly machine: StateNode
  readonly node: Node
  readonly claim: NodeClaim
  readonly condition: Condition
  readonly dueAt: EpochMs
}

/** Finds a machine to repair. A machine that was never ready is left to the time-out of its claim, an ending machine to its deadline. */
export function unhealthyMachineOf(machine: StateNode): Finding<UnhealthyMachine> {
  const { node, claim } = machine
  if (node === undefined || claim === undefined || !machine.isInitialized || !isOurs(claim.spec.nodeClassRef)) return {}
  if (claim.meta.deletedAt !== undefined && deadlineOf(claim) !== undefined) return {}
  const due = repairDueOf(node)
  return due === undefined ? {} : { found: { machine, node, claim, ...due } }
}

/** Reports whether the node is sick, for however long. */
export function isUnhealthy({ node }: StateNode): boolean {
  return node !== undefined && repairDueOf(node) !== undefined
}

function repairDueOf({ conditions }: Node): Pick<UnhealthyMachine, 'condition' | 'dueAt'> | undefined {
  const found = POLICIES.flatMap(({ type, status, toleration }) => {
    const condition = findCondition(conditions, type)
    return condition?.status === status ? [{ condition, dueAt: later(condition.lastTransitionAt, toleration) }] : []
  })
  return found.sort((first, second) => first.dueAt - second.dueAt || byText(first.condition.type, second.condition.type))[0]
}
