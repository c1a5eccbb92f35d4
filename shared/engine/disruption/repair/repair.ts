/** Node repair: broken machines end at once, whatever runs on them. */
import { addAll, leastOf } from '../../../base/lists.ts'
import { byKey, byText, inOrder } from '../../../base/order.ts'
import type { Action, Decision } from '../../../model/decision.ts'
import { LABEL } from '../../../model/labels.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import { createFindings } from '../../cluster/findings.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { labelsOf } from '../../cluster/stateNode.ts'
import { factsOf } from '../candidates/machineFacts.ts'
import { type PausedRepair, reportPausedRepairs } from './pausedRepairs.ts'
import { type RepairCircuitBreaker, repairCircuitBreakerOf, zonesDown } from './repairCircuitBreaker.ts'
import { isUnhealthy, type UnhealthyMachine, unhealthyMachineOf } from './unhealthy.ts'

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
