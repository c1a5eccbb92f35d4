/** Stops repairs when so many machines are broken at once that repairing each would make it worse. */
import { DISRUPTION_REASON, findCondition } from '../../model/condition.ts'
import { REGIONAL_ZONE, zoneText } from '../../model/inWords.ts'
import { LABEL } from '../../model/labels.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { durationMs, later } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { isInReboot, labelsOf, type StateNode } from '../cluster/stateNode.ts'
import type { SickMachines } from './sickMachines.ts'

/** Karpenter's share of broken nodes above which nothing is repaired. It is rounded up, so that one broken node of three is repaired. */
const MOST_UNHEALTHY_SHARE = 0.2
const AT_ONCE_SHARE = 0.05
/** As in the controller that evicts pods from dead nodes: if so many nodes of a zone are broken, the zone itself is out. */
const ZONE_DOWN_SHARE = 0.55
const FEW_IN_ZONE = 2
/** The API server cuts the fraction of a second off a deletion time. */
const PRECISION = durationMs(1_000)

/** The state of repairs in a pool, or in the whole cluster for machines without a pool. */
export type RepairCircuitBreaker = {
  /** Why nothing is repaired. Undefined if repairs go on. */
  readonly against?: string
  /** How many more machines may be repaired now, beside those under repair. */
  readonly left: number
  /** Why a machine waits once none are left. */
  readonly turn: string
}

type Health = Pick<SickMachines, 'isSick' | 'isCounted'>

/** Machines that are ending count until they are gone. `pool` is empty for machines without a pool: then all nodes of the cluster count. */
export function repairCircuitBreakerOf({ fleet }: FleetSnapshot, pool: string, { isSick, isCounted }: Health): RepairCircuitBreaker {
  const nodes = [...(pool === '' ? fleet.all() : fleet.of(pool))].filter(isCounted)
  const unhealthy = nodes.filter(isSick).length
  const most = Math.ceil(MOST_UNHEALTHY_SHARE * nodes.length)
  const name = pool === '' ? 'the cluster' : `nodepool ${pool}`
  const atOnce = Math.max(1, Math.ceil(AT_ONCE_SHARE * nodes.length))
  const repairing = nodes.filter((machine) => isUnderRepair(machine, isSick)).length
  const turn = `at most ${atOnce} of the nodes of ${name} are repaired at a time`
  const left = Math.max(0, atOnce - repairing)
  return unhealthy <= most
    ? { left, turn }
    : { against: `${unhealthy} of ${nodes.length} nodes of ${name} are unhealthy, more than ${most}`, left, turn }
}

/** A node that becomes healthy while it drains or is rebooted is under repair all the same. */
function isUnderRepair(machine: StateNode, isSick: Health['isSick']): boolean {
  const { claim, isDeleting } = machine
  if (isInReboot(machine)) return true
  return isDeleting && (isSick(machine) || (claim !== undefined && (isEndedByRepair(claim) || endsAtOnce(claim))))
}

function isEndedByRepair({ status }: NodeClaim): boolean {
  const because = findCondition(status.conditions, DISRUPTION_REASON)
  return because?.status === 'True' && because.reason === 'Unhealthy'
}

function endsAtOnce(claim: NodeClaim): boolean {
  const { deletedAt } = claim.meta
  const deadline = deadlineOf(claim)
  return deletedAt !== undefined && deadline !== undefined && deadline < later(deletedAt, PRECISION)
}

/** The zones that seem to be out, each with a message. Machines without a zone belong to none. */
export function zonesDown({ fleet }: FleetSnapshot, { isSick, isCounted }: Health): ReadonlyMap<string, string> {
  const zones = Map.groupBy([...fleet.all()].filter(isCounted), (machine) => labelsOf(machine)[LABEL.zone] ?? REGIONAL_ZONE)
  const down = new Map<string, string>()
  for (const [zone, nodes] of zones) {
    const unhealthy = nodes.filter(isSick).length
    if (zone === '' || zone === REGIONAL_ZONE || unhealthy <= FEW_IN_ZONE || unhealthy < ZONE_DOWN_SHARE * nodes.length) continue
    down.set(zone, `${unhealthy} of ${nodes.length} nodes in ${zoneText(zone)} are unhealthy, so the zone seems to have an outage`)
  }
  return down
}
