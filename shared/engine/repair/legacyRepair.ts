/** Node repair by the rules of Karpenter 1.14 (`NODE_REPAIR=legacy`): broken machines end at once, whatever runs on them. */
import { addAll, byKey, byText, inOrder, leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { Action, Decision } from '../../model/decision.ts'
import { LABEL } from '../../model/labels.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { isVetoed } from '../cluster/repairPolicies.ts'
import { labelsOf } from '../cluster/stateNode.ts'
import { factsOf } from '../disruption/candidates/candidate.ts'
import { type HeldRepair, reportHeldRepairs } from './heldRepairs.ts'
import { type RepairCircuitBreaker, repairCircuitBreakerOf, zonesDown } from './repairCircuitBreaker.ts'
import { conditionOf, faultOf, type SickMachine, type SickMachines } from './sickMachines.ts'

/** How soon a held repair is looked at again if nothing changes. The same time as in Karpenter. */
export const HELD_LOOK = durationMs(5 * 60_000)

/**
 * Decides which broken machines end now. No budget or pod holds a repair. Too many broken machines of a pool or a zone do: the fault is then elsewhere,
 * and new machines would break too. Only a few machines of a pool are repaired at once. Karpenter has no such bound, and no veto in these rules.
 */
export function legacyRepair(snapshot: FleetSnapshot, sick: SickMachines): Decision {
  const { takenAt, fleet } = snapshot
  const wakes: EpochMs[] = sick.wakeAt === undefined ? [] : [sick.wakeAt]
  const due = sick.due.toSorted(FIRST_DUE)
  const down = due.length === 0 ? NO_ZONES : zonesDown(snapshot, sick)
  const ending: SickMachine[] = []
  const held: HeldRepair[] = []
  for (const [pool, own] of Map.groupBy(due, ({ machine }) => fleet.poolOf(machine))) {
    const shares = share(own, repairCircuitBreakerOf(snapshot, pool, sick), down)
    addAll(ending, shares.ending)
    addAll(held, shares.held)
  }
  if (held.length > 0) wakes.push(later(takenAt, HELD_LOOK))
  const told = reportHeldRepairs(snapshot, held)
  const actions: readonly Action[] = [...ending.sort(byKey(({ claim }) => claim.name)).flatMap((each) => endOf(each)), ...told.actions]
  return { actions, reasons: told.reasons, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

const NO_ZONES: ReadonlyMap<string, string> = new Map()

const FIRST_DUE = inOrder<SickMachine>(
  (first, second) => first.repair.eligibleAt - second.repair.eligibleAt,
  (first, second) => byText(first.claim.name, second.claim.name),
)

/** Splits the broken machines of a pool into machines that end now and machines that are held. */
function share(
  due: readonly SickMachine[],
  { against, left: most, turn }: RepairCircuitBreaker,
  down: ReadonlyMap<string, string>,
): { readonly ending: readonly SickMachine[]; readonly held: readonly HeldRepair[] } {
  const ending: SickMachine[] = []
  const held: HeldRepair[] = []
  let left = most
  for (const each of due) {
    const broken = against ?? down.get(labelsOf(each.machine)[LABEL.zone] ?? '')
    const hold = (message: string, by: 'breaker' | 'rule' | 'turn'): void =>
      void held.push({ sick: each, hold: { code: 'DISRUPTION.REPAIR_PAUSED', message, by } })
    if (isVetoed(each.node)) hold(VETOED, 'rule')
    else if (broken !== undefined) hold(broken, 'breaker')
    // A machine that drains already takes no share of the repairs at once. It only gets a deadline.
    else if (each.machine.isDeleting || left-- > 0) ending.push(each)
    else hold(turn, 'turn')
  }
  return { ending, held }
}

/** Why a node stays that a person keeps. */
export const VETOED = 'it is annotated karpenter.sh/do-not-repair'

/** Ends the claim, or bounds its drain. Without a bound the pods get no time. */
export function endOf({ machine, node, claim, repair }: SickMachine, terminationGracePeriod?: DurationMs): readonly Action[] {
  const message = `Unhealthy: node ${node.name} has ${faultOf(repair)}`
  const event = { type: 'Warning', reason: 'DisruptionTerminating', message } as const
  const { name, meta } = claim
  const cause = defined({ condition: conditionOf(repair), terminationGracePeriod })
  return [
    { kind: 'repairClaim', claim: name, uid: meta.uid, ...cause, pods: factsOf(machine).pods.length },
    { kind: 'publish', event: { ...event, subject: { kind: 'nodeClaim', name }, uid: meta.uid } },
    { kind: 'publish', event: { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid } },
  ]
}
