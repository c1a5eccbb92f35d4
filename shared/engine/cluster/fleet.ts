/** The machines of a cluster by pool, and the machines that no pod needs. Frequent answers are worked out once, until a machine changes. */
import { byKey } from '../../base/lists.ts'
import { defined, isSame } from '../../base/values.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { isTrue } from '../../model/condition.ts'
import { reasonOfCode } from '../../model/conditionLinks.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { DRIFTED, type NodeClaim, VOLUMES_OVERDUE } from '../../model/nodeClaim.ts'
import { type Resources, sum } from '../../model/resources.ts'
import { isReschedulable } from '../pod/podPredicates.ts'
import { capacityOf, isInReboot, labelsOf, leavingBy, type StateNode, stateNodes } from './stateNode.ts'

/** The totals of a pool. Machines that are launched and not being deleted count. */
export type Counted = {
  readonly nodes: number
  readonly capacity: Resources
  /** The first claim by name for which Azure makes no machine because a right or a credential is missing. Undefined if there is none. */
  readonly forbidden?: NodeClaim
  /** Claims that replace drifted nodes, in no order. Undefined unless one of them has drifted, so that the list of a whole pool is rarely read. */
  readonly replacements?: readonly NodeClaim[]
}

/**
 * What budgets of a pool count. `total`: the machines that percentages are about. `going`: those of them that go or are in a reboot. `disrupting`: those,
 * and the machines that are not ready.
 */
export type Disrupted = { readonly total: number; readonly disrupting: number; readonly going: number }

export interface Fleet {
  all(): Iterable<StateNode>
  ids(): Iterable<string>
  /** The pool that the label of the machine names. Empty if the machine has no such label. */
  poolOf(machine: StateNode): string
  /** Machines whose label names the pool. */
  of(pool: string): Iterable<StateNode>
  counted(pool: string): Counted
  disrupted(pool: string): Disrupted
  /** Machines without a pod that would need another place, by name. */
  empty(): readonly StateNode[]
  /** The machine under this id. */
  get(id: string): StateNode | undefined
  /** Returns a function for one follower. It returns the ids of machines that came, changed or went since its last call, at first all ids. */
  follow(): () => Iterable<string>
}

export interface KeptFleet extends Fleet {
  /** Sets the machine under this id. Undefined removes it. */
  set(id: string, machine: StateNode | undefined): void
}

type Pool = { readonly machines: Map<string, StateNode>; counts?: Counts }

type Counts = { readonly counted: Counted; readonly disrupted: Disrupted }

const NONE: Counts = { counted: { nodes: 0, capacity: {} }, disrupted: { total: 0, disrupting: 0, going: 0 } }

export function createFleet(): KeptFleet {
  const all = new Map<string, StateNode>()
  const pools = new Map<string, Pool>()
  const empty = new Map<string, StateNode>()
  const followers: { changed: Set<string> }[] = []

  function leave(id: string, machine: StateNode): void {
    empty.delete(id)
    const name = poolOf(machine)
    const pool = pools.get(name)
    if (pool === undefined) return
    pool.machines.delete(id)
    if (pool.machines.size === 0) pools.delete(name)
  }

  function join(id: string, machine: StateNode, before: StateNode | undefined): void {
    const name = poolOf(machine)
    const pool: Pool = pools.get(name) ?? { machines: new Map() }
    pools.set(name, pool)
    pool.machines.set(id, machine)
    if (before === undefined || poolOf(before) !== name || !isCountedAlike(before, machine)) delete pool.counts
    if (!machine.pods.some(isReschedulable)) empty.set(id, machine)
  }

  return {
    set(id, machine) {
      for (const { changed } of followers) changed.add(id)
      const before = all.get(id)
      if (before !== undefined) {
        if (machine === undefined || poolOf(before) !== poolOf(machine)) delete pools.get(poolOf(before))?.counts
        leave(id, before)
      }
      if (machine === undefined) all.delete(id)
      else {
        all.set(id, machine)
        join(id, machine, before)
      }
    },
    all: () => all.values(),
    ids: () => all.keys(),
    get: (id) => all.get(id),
    poolOf,
    of: (pool) => pools.get(pool)?.machines.values() ?? [],
    counted: (name) => countsOf(pools.get(name)).counted,
    disrupted: (name) => countsOf(pools.get(name)).disrupted,
    empty: () => [...empty.values()].sort(byKey(({ name }) => name)),
    follow() {
      const follower = { changed: new Set(all.keys()) }
      followers.push(follower)
      return () => {
        const { changed } = follower
        follower.changed = new Set()
        return changed
      }
    },
  }
}

export function fleetOf(machines: readonly StateNode[]): Fleet {
  const fleet = createFleet()
  for (const machine of machines) fleet.set(`${machine.node?.name ?? ''} ${machine.claim?.name ?? ''}`, machine)
  return fleet
}

function poolOf(machine: StateNode): string {
  return labelsOf(machine)[LABEL.nodePool] ?? ''
}

/** Reports whether both count the same. Pods do not matter here, and come and go more often than nodes change. */
function isCountedAlike(first: StateNode, second: StateNode): boolean {
  if (first.node === second.node && first.claim === second.claim && first.isDeleting === second.isDeleting) return true
  // Totals name these claims.
  if ([first.claim, second.claim].some((claim) => claim !== undefined && (isReplacement(claim) || isForbidden(claim)))) return false
  return isSame(countedOf(first), countedOf(second))
}

/** What the machine counts for. The claim of a machine changes with each pod that leaves, and nothing of this does. */
function countedOf(machine: StateNode): unknown {
  const { claim, isDeleting } = machine
  const capacity = isCounted(machine) ? capacityOf(machine) : undefined
  return [capacity, claim?.name, isOfTotal(machine), isDeleting, isInReboot(machine), isReady(machine)]
}

function count(machines: Iterable<StateNode>): Counted {
  const all = [...machines]
  const counted = all.filter(isCounted)
  const [forbidden] = all.flatMap(({ claim }) => (claim !== undefined && isForbidden(claim) ? [claim] : [])).sort(byKey(({ name }) => name))
  const replacements = all.flatMap(({ claim }) => (claim !== undefined && isReplacement(claim) ? [claim] : []))
  return defined({
    nodes: counted.length,
    capacity: sum(counted.map(capacityOf)),
    forbidden,
    replacements: replacements.some(({ status }) => isTrue(status.conditions, DRIFTED)) ? replacements : undefined,
  })
}

/** Reports whether the claim replaces drifted nodes, and is not being deleted. */
function isReplacement({ meta }: NodeClaim): boolean {
  return meta.deletedAt === undefined && meta.annotations[ANNOTATION.replacesDrifted] !== undefined
}

function countsOf(pool: Pool | undefined): Counts {
  if (pool === undefined) return NONE
  pool.counts ??= { counted: count(pool.machines.values()), disrupted: countDisrupted(pool.machines.values()) }
  return pool.counts
}

function countDisrupted(machines: Iterable<StateNode>): Disrupted {
  const own = [...machines].filter(isOfTotal)
  const disrupting = own.filter((machine) => isGoing(machine) || !isReady(machine)).length
  return { total: own.length, disrupting, going: own.filter(isGoing).length }
}

/** A budget counts a node in a reboot like a node that goes, whatever the reasons of the budget. */
function isGoing(machine: StateNode): boolean {
  return machine.isDeleting || isInReboot(machine)
}

/**
 * Reports whether the machine is part of the total for percentages: it is initialized or in a reboot, Azure is not deleting it, and it is not merely kept
 * by volumes that are overdue. No pod is disrupted on such a machine any more.
 */
function isOfTotal(machine: StateNode): boolean {
  const { claim } = machine
  if (claim === undefined || !(machine.isInitialized || isInReboot(machine))) return false
  const { conditions } = claim.status
  if (claim.meta.deletedAt !== undefined && conditions.some(({ reason }) => reason === VOLUMES_OVERDUE)) return false
  return !isTrue(conditions, 'InstanceTerminating')
}

function isReady({ node }: StateNode): boolean {
  return node !== undefined && isTrue(node.conditions, 'Ready')
}

const FORBIDDEN = reasonOfCode('AZURE.FORBIDDEN')

function isForbidden({ meta, status }: NodeClaim): boolean {
  if (meta.deletedAt !== undefined) return false
  return status.conditions.some(({ type, status: value, reason }) => type === 'Launched' && value === 'Unknown' && reason === FORBIDDEN)
}

/** Reports whether the machine counts: it is launched, and not being deleted. */
function isCounted(machine: StateNode): boolean {
  return !machine.isDeleting && (machine.node !== undefined || machine.claim?.status.providerId !== undefined)
}

/** Objects of the kinds with few objects. */
export type FewObjects = Omit<ClusterSnapshot['objects'], 'pod' | 'node' | 'nodeClaim'>

/** The input of decisions about pools, classes and machines: a snapshot with pods, nodes and claims joined into machines. */
export type FleetSnapshot = Omit<ClusterSnapshot, 'objects'> & { readonly objects: FewObjects; readonly fleet: Fleet }

export function fleetSnapshotOf(snapshot: ClusterSnapshot): FleetSnapshot {
  return { ...snapshot, fleet: fleetOf(stateNodes(snapshot.objects, leavingBy(snapshot.commands))) }
}
