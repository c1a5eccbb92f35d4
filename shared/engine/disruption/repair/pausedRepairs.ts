import { byKey } from '../../../base/order.ts'
import type { Action, ClusterEvent, Reason } from '../../../model/decision.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { reasonOf } from '../candidates/candidate.ts'
import type { UnhealthyMachine } from './unhealthy.ts'

/** A machine that is to be repaired and stays for now. */
export type PausedRepair = {
  readonly unhealthy: UnhealthyMachine
  /** True if too many machines are broken, which a person should look at. False if its turn comes by itself. */
  readonly isBroken: boolean
  readonly message: string
}

/** Returns a reason for each machine, and Events on node and pool where repairs are paused. */
export function reportPausedRepairs(
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
