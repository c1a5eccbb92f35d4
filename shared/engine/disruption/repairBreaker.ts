/** When so many machines are broken at once that a repair of each would make it worse. */
import { REGIONAL_ZONE, zoneText } from '../../model/inWords.ts'
import { LABEL } from '../../model/labels.ts'
import type { Sight } from '../cluster/sight.ts'
import { labelsOf, type StateNode } from '../cluster/stateNode.ts'

/** Karpenter's share of broken nodes above which nothing is repaired; rounded up, so that one of three is. */
const MOST_SICK_SHARE = 0.2
const AT_ONCE_SHARE = 0.05
/** Those of the controller that evicts pods from dead nodes: with so many of a zone's nodes broken, the zone itself is. */
const ZONE_DOWN_SHARE = 0.55
const FEW_IN_ZONE = 2

/** How a pool, or the cluster for machines without a pool, stands. */
export type Breaker = {
  /** In words. */
  readonly name: string
  readonly total: number
  readonly sick: number
  /** Most sick nodes with which repairs go on. */
  readonly most: number
  readonly isOpen: boolean
  /** How many machines may be under repair at a time, and how many are. */
  readonly atOnce: number
  readonly repairing: number
}

type IsSick = (machine: StateNode) => boolean

/** Machines that end count as nodes until they are gone. `pool` is empty for machines without one: then all nodes of the cluster count. */
export function breakerOf({ fleet }: Sight, pool: string, isSick: IsSick): Breaker {
  const nodes = [...(pool === '' ? fleet.all() : fleet.of(pool))].filter(isUp)
  const sick = nodes.filter(isSick)
  const most = Math.ceil(MOST_SICK_SHARE * nodes.length)
  return {
    name: pool === '' ? 'the cluster' : `nodepool ${pool}`,
    total: nodes.length,
    sick: sick.length,
    most,
    isOpen: sick.length > most,
    atOnce: Math.max(1, Math.ceil(AT_ONCE_SHARE * nodes.length)),
    repairing: sick.filter(({ isDeleting }) => isDeleting).length,
  }
}

/** Zones that are out, with the words for it. Machines without a zone are in none. */
export function zonesDown({ fleet }: Sight, isSick: IsSick): ReadonlyMap<string, string> {
  const zones = Map.groupBy([...fleet.all()].filter(isUp), (machine) => labelsOf(machine)[LABEL.zone] ?? REGIONAL_ZONE)
  const down = new Map<string, string>()
  for (const [zone, nodes] of zones) {
    const sick = nodes.filter(isSick).length
    if (zone === '' || zone === REGIONAL_ZONE || sick <= FEW_IN_ZONE || sick < ZONE_DOWN_SHARE * nodes.length) continue
    down.set(zone, `${sick} of ${nodes.length} nodes in ${zoneText(zone)} are unhealthy, so the zone seems to be out`)
  }
  return down
}

/** A node that never became ready is not broken, and says nothing about the health of the others. */
function isUp({ node, isInitialized }: StateNode): boolean {
  return node !== undefined && isInitialized
}
