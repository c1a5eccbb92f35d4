/** Stops repairs when so many machines are broken at once that repairing each would make it worse. */
import { REGIONAL_ZONE, zoneText } from '../../../model/inWords.ts'
import { LABEL } from '../../../model/labels.ts'
import { deadlineOf, type NodeClaim } from '../../../model/nodeClaim.ts'
import { durationMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { labelsOf, type StateNode } from '../../cluster/stateNode.ts'

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
  /** The pool or the cluster, in words. */
  readonly name: string
  readonly total: number
  readonly unhealthy: number
  /** The most sick nodes with which repairs still go on. */
  readonly most: number
  readonly isOpen: boolean
  /** The most machines under repair at a time. `repairing` is the number of machines under repair now. */
  readonly atOnce: number
  readonly repairing: number
}

type IsUnhealthy = (machine: StateNode) => boolean

/** Machines that are ending count until they are gone. `pool` is empty for machines without a pool: then all nodes of the cluster count. */
export function repairCircuitBreakerOf({ fleet }: FleetSnapshot, pool: string, isUnhealthy: IsUnhealthy): RepairCircuitBreaker {
  const nodes = [...(pool === '' ? fleet.all() : fleet.of(pool))].filter(isUp)
  const unhealthy = nodes.filter(isUnhealthy)
  const most = Math.ceil(MOST_UNHEALTHY_SHARE * nodes.length)
  return {
    name: pool === '' ? 'the cluster' : `nodepool ${pool}`,
    total: nodes.length,
    unhealthy: unhealthy.length,
    most,
    isOpen: unhealthy.length > most,
    atOnce: Math.max(1, Math.ceil(AT_ONCE_SHARE * nodes.length)),
    repairing: nodes.filter((machine) => isUnderRepair(machine, isUnhealthy)).length,
  }
}

/** The drain of a repair ends at once. So a node that becomes healthy while it drains is under repair all the same. */
function isUnderRepair(machine: StateNode, isUnhealthy: IsUnhealthy): boolean {
  return machine.isDeleting && (isUnhealthy(machine) || (machine.claim !== undefined && endsAtOnce(machine.claim)))
}

function endsAtOnce(claim: NodeClaim): boolean {
  const { deletedAt } = claim.meta
  const deadline = deadlineOf(claim)
  return deletedAt !== undefined && deadline !== undefined && deadline < later(deletedAt, PRECISION)
}

/** The zones that seem to be out, each with a message. Machines without a zone belong to none. */
export function zonesDown({ fleet }: FleetSnapshot, isUnhealthy: IsUnhealthy): ReadonlyMap<string, string> {
  const zones = Map.groupBy([...fleet.all()].filter(isUp), (machine) => labelsOf(machine)[LABEL.zone] ?? REGIONAL_ZONE)
  const down = new Map<string, string>()
  for (const [zone, nodes] of zones) {
    const unhealthy = nodes.filter(isUnhealthy).length
    if (zone === '' || zone === REGIONAL_ZONE || unhealthy <= FEW_IN_ZONE || unhealthy < ZONE_DOWN_SHARE * nodes.length) continue
    down.set(zone, `${unhealthy} of ${nodes.length} nodes in ${zoneText(zone)} are unhealthy, so the zone seems to have an outage`)
  }
  return down
}

/** Reports whether the node has ever been ready. A node that never was is not broken, and says nothing about the health of the others. */
function isUp({ node, isInitialized }: StateNode): boolean {
  return node !== undefined && isInitialized
}
