/** Node repair: broken machines end at once, whatever runs on them. */
import { addAll, byKey, byText, inOrder, leastOf } from '../../../base/lists.ts'
import { type Condition, type ConditionStatus, findCondition } from '../../../model/condition.ts'
import type { Action, ClusterEvent, Decision, Reason } from '../../../model/decision.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Node } from '../../../model/node.ts'
import { deadlineOf, type NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import { createFindings, type Finding } from '../../cluster/findings.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { labelsOf, type StateNode } from '../../cluster/stateNode.ts'
import { factsOf, reasonOf } from '../candidates/candidate.ts'
import { type RepairCircuitBreaker, repairCircuitBreakerOf, zonesDown } from './repairCircuitBreaker.ts'

/** How soon a held repair is looked at again if nothing changes. The same time as in Karpenter. */
const HELD_LOOK = durationMs(5 * 60_000)

/**
 * Decides which broken machines end now. No budget, pod or annotation holds a repair. Too many broken machines of a pool or a zone do: the fault
 * is then elsewhere, and new machines would break too. Only a few machines of a pool are repaired at once. Karpenter has no such bound.
 */
export function createRepair(): (snapshot: FleetSnapshot) => Decision {
  const findings = createFindings<UnhealthyMachine>()
  return (snapshot) => {
    if (snapshot.settings.nodeRepair === false) return NOTHING
    const { found } = findings(snapshot.fleet, snapshot.takenAt, unhealthyMachineOf)
    return found.length === 0 ? NOTHING : repair(snapshot, found)
  }
}

function repair(snapshot: FleetSnapshot, unhealthy: readonly UnhealthyMachine[]): Decision {
  const { takenAt, fleet } = snapshot
  const due = unhealthy.filter(({ dueAt }) => dueAt <= takenAt).sort(FIRST_DUE)
  const wakes: EpochMs[] = unhealthy.filter(({ dueAt }) => dueAt > takenAt).map(({ dueAt }) => dueAt)
  const down = due.length === 0 ? NO_ZONES : zonesDown(snapshot, isUnhealthy)
  const ending: UnhealthyMachine[] = []
  const held: PausedRepair[] = []
  for (const [pool, own] of Map.groupBy(due, ({ machine }) => fleet.poolOf(machine))) {
    const shares = share(own, repairCircuitBreakerOf(snapshot, pool, isUnhealthy), down)
    addAll(ending, shares.ending)
    addAll(held, shares.held)
  }
  if (held.length > 0) wakes.push(later(takenAt, HELD_LOOK))
  const told = reportPausedRepairs(snapshot, held.sort(byKey(({ unhealthy: { claim } }) => claim.name)))
  const actions: readonly Action[] = [...ending.sort(byKey(({ claim }) => claim.name)).flatMap(endOf), ...told.actions]
  return { actions, reasons: told.reasons, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

const NOTHING: Decision = { actions: [], reasons: [] }
const NO_ZONES: ReadonlyMap<string, string> = new Map()

const FIRST_DUE = inOrder<UnhealthyMachine>(
  (first, second) => first.dueAt - second.dueAt,
  (first, second) => byText(first.claim.name, second.claim.name),
)

/** Splits the broken machines of a pool into machines that end now and machines that are held. */
function share(
  due: readonly UnhealthyMachine[],
  { name, total, unhealthy, atOnce, repairing, isOpen, most }: RepairCircuitBreaker,
  down: ReadonlyMap<string, string>,
): { readonly ending: readonly UnhealthyMachine[]; readonly held: readonly PausedRepair[] } {
  const ending: UnhealthyMachine[] = []
  const held: PausedRepair[] = []
  let left = Math.max(0, atOnce - repairing)
  for (const each of due) {
    const zone = down.get(labelsOf(each.machine)[LABEL.zone] ?? '')
    // A machine that drains already takes no share of the repairs at once. It only gets a deadline.
    const isDeleting = each.machine.isDeleting
    if (isOpen)
      held.push({ unhealthy: each, isBroken: true, message: `${unhealthy} of ${total} nodes of ${name} are unhealthy, more than ${most}` })
    else if (zone !== undefined) held.push({ unhealthy: each, isBroken: true, message: zone })
    else if (isDeleting || left-- > 0) ending.push(each)
    else held.push({ unhealthy: each, isBroken: false, message: `at most ${atOnce} of the nodes of ${name} are repaired at a time` })
  }
  return { ending, held }
}

function endOf({ machine, node, claim, condition }: UnhealthyMachine): readonly Action[] {
  const because = `${condition.type}=${condition.status}`
  const message = `Unhealthy: node ${node.name} has ${because}${condition.message === '' ? '' : `: ${condition.message}`}`
  const event = { type: 'Warning', reason: 'DisruptionTerminating', message } as const
  return [
    { kind: 'repairClaim', claim: claim.name, uid: claim.meta.uid, because, pods: factsOf(machine).pods.length },
    { kind: 'publish', event: { ...event, subject: { kind: 'nodeClaim', name: claim.name }, uid: claim.meta.uid } },
    { kind: 'publish', event: { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid } },
  ]
}

/** A machine that is to be repaired and stays for now. */
type PausedRepair = {
  readonly unhealthy: UnhealthyMachine
  /** True if too many machines are broken, which a person should look at. False if its turn comes by itself. */
  readonly isBroken: boolean
  readonly message: string
}

/** Returns a reason for each machine, and Events on node and pool where repairs are paused. */
function reportPausedRepairs(
  snapshot: FleetSnapshot,
  held: readonly PausedRepair[],
): { readonly actions: readonly Action[]; readonly reasons: readonly Reason[] } {
  const reasons = held.map(({ unhealthy: { claim }, message }) => reasonOf(claim, 'DISRUPTION.REPAIR_PAUSED', message))
  const paused = held.filter(({ isBroken }) => isBroken)
  const onNodes = paused.map(({ unhealthy: { node, condition }, message }): ClusterEvent => {
    const own = `node ${node.name} has ${condition.type}=${condition.status} and is not repaired`
    return blocked({ kind: 'node', name: node.name }, node.meta.uid, `${own}: ${message}`)
  })
  const onPools = snapshot.objects.nodePool.flatMap((pool): readonly ClusterEvent[] => {
    const first = paused.find(({ unhealthy: { machine } }) => snapshot.fleet.poolOf(machine) === pool.name)
    return first === undefined
      ? []
      : [blocked({ kind: 'nodePool', name: pool.name }, pool.meta.uid, `repairs of nodepool ${pool.name} are paused: ${first.message}`)]
  })
  const events = [...onNodes, ...onPools.sort(byKey(({ subject }) => subject.name))]
  return { actions: events.map((event) => ({ kind: 'publish', event })), reasons }
}

function blocked(subject: ClusterEvent['subject'], uid: NonNullable<ClusterEvent['uid']>, message: string): ClusterEvent {
  return { subject, uid, type: 'Warning', reason: 'NodeRepairBlocked', message, key: 'NodeRepairBlocked' }
}

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
type UnhealthyMachine = {
  readonly machine: StateNode
  readonly node: Node
  readonly claim: NodeClaim
  readonly condition: Condition
  readonly dueAt: EpochMs
}

/** Finds a machine to repair. A machine that was never ready is left to the time-out of its claim, an ending machine to its deadline. */
function unhealthyMachineOf(machine: StateNode): Finding<UnhealthyMachine> {
  const { node, claim } = machine
  if (node === undefined || claim === undefined || !machine.isInitialized || !isOurs(claim.spec.nodeClassRef)) return {}
  if (claim.meta.deletedAt !== undefined && deadlineOf(claim) !== undefined) return {}
  const due = repairDueOf(node)
  return due === undefined ? {} : { found: { machine, node, claim, ...due } }
}

/** Reports whether the node is sick, for however long. */
function isUnhealthy({ node }: StateNode): boolean {
  return node !== undefined && repairDueOf(node) !== undefined
}

function repairDueOf({ conditions }: Node): Pick<UnhealthyMachine, 'condition' | 'dueAt'> | undefined {
  const found = POLICIES.flatMap(({ type, status, toleration }) => {
    const condition = findCondition(conditions, type)
    return condition?.status === status ? [{ condition, dueAt: later(condition.lastTransitionAt, toleration) }] : []
  })
  return found.sort((first, second) => first.dueAt - second.dueAt || byText(first.condition.type, second.condition.type))[0]
}
