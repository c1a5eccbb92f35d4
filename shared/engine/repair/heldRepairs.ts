/** Why broken machines stay, as reasons and Events. */
import { byKey } from '../../base/lists.ts'
import type { Action, ClusterEvent, Reason } from '../../model/decision.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { reasonOf } from '../disruption/candidates/candidate.ts'
import { conditionOf, type SickMachine } from './sickMachines.ts'

/** Why a machine is not repaired now. */
export type Hold = {
  readonly code: ProblemCode
  readonly message: string
  /**
   * `breaker`: too many machines are broken, which a person should look at. `turn`: it goes after others, by itself. Otherwise a rule of the user or
   * the state of the cluster holds it.
   */
  readonly by: 'breaker' | 'rule' | 'turn'
}

export type HeldRepair = { readonly sick: SickMachine; readonly hold: Hold }

/** Returns a reason for each machine, an Event on its node and its claim where a rule holds it, and on its pool as well where repairs are paused. */
export function reportHeldRepairs(
  snapshot: FleetSnapshot,
  held: readonly HeldRepair[],
): { readonly actions: readonly Action[]; readonly reasons: readonly Reason[] } {
  const sorted = held.toSorted(byKey(({ sick: { claim } }) => claim.name))
  const told = sorted.filter(({ hold }) => hold.by !== 'turn').flatMap(eventsOf)
  const paused = sorted.filter(({ hold }) => hold.by === 'breaker')
  const onPools = snapshot.objects.nodePool.flatMap((pool): readonly ClusterEvent[] => {
    const first = paused.find(({ sick: { machine } }) => snapshot.fleet.poolOf(machine) === pool.name)
    if (first === undefined) return []
    const message = `repairs of nodepool ${pool.name} are paused: ${first.hold.message}`
    return [{ subject: { kind: 'nodePool', name: pool.name }, uid: pool.meta.uid, ...BLOCKED, message }]
  })
  const events = [...told, ...onPools.sort(byKey(({ subject }) => subject.name))]
  return {
    actions: events.map((event) => ({ kind: 'publish', event })),
    reasons: sorted.map(({ sick: { claim }, hold: { code, message } }) => reasonOf(claim, code, message)),
  }
}

const BLOCKED = { type: 'Warning', reason: 'NodeRepairBlocked', key: 'NodeRepairBlocked' } as const

function eventsOf({ sick: { node, claim, repair }, hold }: HeldRepair): readonly ClusterEvent[] {
  const message = `node ${node.name} has ${conditionOf(repair)} and is not repaired: ${hold.message}`
  const kind =
    hold.by === 'breaker'
      ? BLOCKED
      : ({ type: 'Normal', reason: 'DisruptionBlocked', key: `DisruptionBlocked repair ${hold.code}` } as const)
  return [
    { subject: { kind: 'node', name: node.name }, uid: node.meta.uid, ...kind, message },
    { subject: { kind: 'nodeClaim', name: claim.name }, uid: claim.meta.uid, ...kind, message },
  ]
}
