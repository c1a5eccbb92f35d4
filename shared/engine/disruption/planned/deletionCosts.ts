/**
 * The deletion cost of pods on nodes that are planned to go. A ReplicaSet that is scaled down deletes the pods with the lowest cost first. So a
 * scale-down empties these nodes, and fewer pods are evicted.
 */
import { byKey, leastOf } from '../../../base/lists.ts'
import { type Action, claimsMovedBy, type Decision, endedBy, type SetDeletionCosts } from '../../../model/decision.ts'
import { PLANNED_DELETION_COST } from '../../../model/labels.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import { type Pod, refOf } from '../../../model/pod.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import { createFindings, type Finding } from '../../cluster/findings.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isCostPlanned, mayGetCost } from '../../pod/eviction.ts'
import { isActive } from '../../pod/podPredicates.ts'
import { isTainted } from '../commands/sweep.ts'
import { plannedAtOf } from './plannedTaints.ts'

/**
 * How long a node must be planned to go before its pods are written. Kubernetes advises against frequent updates of the annotation. Most nodes that
 * only wait for the move before theirs go within this time, and their pods are never written. A pod is written at most twice in this time.
 */
const SETTLED_AFTER = durationMs(60_000)
/** The most pods that one decision writes. Each takes a call, so the others wait for the next decision. */
const MOST_WRITTEN = 50

type CostedMachine = {
  readonly claim: NodeClaim
  readonly node: Node
  /** When the node was planned to go. Undefined if it is not. */
  readonly plannedAt: EpochMs | undefined
  /** Pods with the cost that Joiner writes. */
  readonly costed: readonly Pod[]
  /** Pods of ReplicaSets without a cost. Empty if the node is not planned to go. */
  readonly open: readonly Pod[]
}

/** `actions`: all that the decision does otherwise. */
export type DecideDeletionCosts = (snapshot: FleetSnapshot, actions: readonly Action[]) => Decision

/** Returns a function for the decisions about one cluster. Without the setting, it decides nothing. */
export function createDeletionCosts(): DecideDeletionCosts {
  const findings = createFindings<CostedMachine>()
  return ({ fleet, takenAt, settings }, actions) => {
    if (settings.podDeletionCosts !== true) return { actions: [], reasons: [] }
    return costsOf(findings(fleet, takenAt, costedMachine).found, actions, takenAt)
  }
}

/**
 * Finds a machine with pods whose cost may change. Pods of a machine that goes keep their cost: they are evicted, and a scale-down may still take them
 * first. If the machine stays after all, it is found again.
 */
function costedMachine(machine: StateNode): Finding<CostedMachine> {
  const { claim, node, isDeleting } = machine
  if (claim === undefined || node === undefined || !isOurs(claim.spec.nodeClassRef)) return {}
  if (isDeleting || isTainted(machine) || node.meta.deletedAt !== undefined) return {}
  const pods = machine.pods.filter(isActive)
  const costed = pods.filter(isCostPlanned)
  const plannedAt = plannedAtOf(node)
  const open = plannedAt === undefined ? [] : pods.filter(mayGetCost)
  return costed.length === 0 && open.length === 0 ? {} : { found: { claim, node, plannedAt, costed, open } }
}

function costsOf(machines: readonly CostedMachine[], actions: readonly Action[], now: EpochMs): Decision {
  const going = new Set<string>([...actions.flatMap(claimsMovedBy), ...endedBy(actions)])
  const changed = new Map(actions.flatMap((action) => (action.kind === 'taintPlanned' ? [[action.node, action] as const] : [])))
  const removals: SetDeletionCosts[] = []
  const costs: SetDeletionCosts[] = []
  const wakes: EpochMs[] = []
  for (const { claim, node, plannedAt, costed, open } of [...machines].sort(byKey((each) => each.node.name))) {
    if (going.has(claim.name)) continue
    if ((changed.get(node.name) ?? { plannedAt }).plannedAt === undefined) removals.push(writeOf(node, costed))
    else if (plannedAt !== undefined && open.length > 0) {
      const settledAt = later(plannedAt, SETTLED_AFTER)
      if (settledAt <= now) costs.push(writeOf(node, open, PLANNED_DELETION_COST))
      else wakes.push(settledAt)
    }
  }
  return { actions: firstFew([...removals, ...costs]), reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

function writeOf({ name, meta }: Node, pods: readonly Pod[], cost?: string): SetDeletionCosts {
  const refs = pods.map(refOf).sort(byKey(({ key }) => key))
  return { kind: 'setDeletionCosts', node: name, uid: meta.uid, pods: refs, ...(cost === undefined ? {} : { cost }) }
}

/** As many of the writes as one decision may carry out. */
function firstFew(writes: readonly SetDeletionCosts[]): readonly SetDeletionCosts[] {
  let left = MOST_WRITTEN
  return writes.flatMap((write) => {
    const pods = write.pods.slice(0, left)
    left -= pods.length
    return pods.length === 0 ? [] : [{ ...write, pods }]
  })
}
