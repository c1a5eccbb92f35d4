/** The rules that hold the repair of a broken machine. */
import { once, remembered } from '../../base/caches.ts'
import type { Reason } from '../../model/decision.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { isVetoed } from '../cluster/repairPolicies.ts'
import { labelsOf, type StateNode } from '../cluster/stateNode.ts'
import { type CandidateWithCost, factsOf, isGraced } from '../disruption/candidates/candidate.ts'
import { type BudgetsOf, heldPod, promisedClaims } from '../disruption/candidates/protection.ts'
import { restMessage, restsOf } from '../disruption/commands/moveRests.ts'
import { forbiddenIn, frozenBy } from '../disruption/waves/calm.ts'
import type { Wave } from '../disruption/waves/wave.ts'
import type { Hold } from './heldRepairs.ts'
import { VETOED } from './legacyRepair.ts'
import { repairCircuitBreakerOf, zonesDown } from './repairCircuitBreaker.ts'
import type { SickMachine, SickMachines } from './sickMachines.ts'

/** A broken machine of a pool, with what is weighed about it. */
export type SickCandidate = { readonly sick: SickMachine; readonly candidate: CandidateWithCost }

export interface RepairHolds {
  /** Why the machine is not repaired now, before a place for its pods is sought. Undefined if it may be. */
  against(each: SickCandidate): Hold | undefined
  /** Why the drain of a machine that is being deleted is not bounded. `candidate`: undefined if the machine has no pool. */
  againstBound(sick: SickMachine, candidate: CandidateWithCost | undefined): Hold | undefined
  /** Records that the repair of a machine of the pool begins. */
  begin(machine: StateNode): void
}

export const NO_POOL: Hold = {
  code: 'DISRUPTION.REPAIR_PAUSED',
  message: 'its nodeclaim belongs to no nodepool, and the repair of a node needs one',
  by: 'rule',
}

export function createRepairHolds(snapshot: FleetSnapshot, sick: SickMachines, wave: Wave, budgetsOf: BudgetsOf): RepairHolds {
  const { fleet, backOffs, takenAt } = snapshot
  const breakerOf = remembered((pool: string) => repairCircuitBreakerOf(snapshot, pool, sick))
  const down = once(() => zonesDown(snapshot, sick))
  const forbidden = forbiddenIn(snapshot)
  const promised = promisedClaims(snapshot)
  const begun = new Map<string, number>()

  const veto = ({ node }: SickMachine): Hold | undefined => (isVetoed(node) ? paused(VETOED, 'rule') : undefined)

  const frozen = (candidate: CandidateWithCost): Hold | undefined => ruleOf(frozenBy(candidate, snapshot, forbidden))

  function breaker(machine: StateNode): Hold | undefined {
    const message = breakerOf(fleet.poolOf(machine)).against ?? down().get(labelsOf(machine)[LABEL.zone] ?? '')
    return message === undefined ? undefined : paused(message, 'breaker')
  }

  /** A pod that may not be evicted would hold the drain without an end. */
  function unbounded({ sick: { machine, repair }, candidate }: SickCandidate): Hold | undefined {
    if (repair.terminationGracePeriod !== undefined || isGraced(candidate)) return undefined
    const held = heldPod(machine, { snapshot, budgetsOf })
    if (held === undefined) return undefined
    const message = `${held.message}, and neither the repair policy nor the nodeclaim has a terminationGracePeriod, which would bound the wait`
    return { code: held.code, message, by: 'rule' }
  }

  /** A machine that is not up is no part of a budget, and pods that are meant for it do not come to it. */
  function limited({ candidate }: SickCandidate): Hold | undefined {
    const { machine, claim } = candidate
    if (!machine.isInitialized) return undefined
    if (factsOf(machine).awaited.length > 0 || promised.has(claim.name))
      return { code: 'DISRUPTION.NOMINATED', message: 'a pod is expected on it', by: 'turn' }
    return ruleOf(wave.overBudget([candidate], 'Unhealthy'))
  }

  function resting({ candidate: { claim } }: SickCandidate): Hold | undefined {
    const rests = restsOf(claim, backOffs, takenAt).filter(({ isOfRepair }) => isOfRepair)
    return rests.length === 0 ? undefined : { code: 'DISRUPTION.RESTING', message: restMessage(rests), by: 'rule' }
  }

  function turn(machine: StateNode): Hold | undefined {
    const pool = fleet.poolOf(machine)
    const { left, turn: message } = breakerOf(pool)
    return (begun.get(pool) ?? 0) < left ? undefined : paused(message, 'turn')
  }

  return {
    against(each) {
      const { sick: own, candidate } = each
      return (
        veto(own) ?? frozen(candidate) ?? unbounded(each) ?? breaker(own.machine) ?? limited(each) ?? resting(each) ?? turn(own.machine)
      )
    },
    againstBound: (own, candidate) => veto(own) ?? (candidate && frozen(candidate)) ?? breaker(own.machine),
    begin(machine) {
      const pool = fleet.poolOf(machine)
      begun.set(pool, (begun.get(pool) ?? 0) + 1)
    },
  }
}

function paused(message: string, by: Hold['by']): Hold {
  return { code: 'DISRUPTION.REPAIR_PAUSED', message, by }
}

export function ruleOf(reason: Reason | undefined): Hold | undefined {
  return reason && { code: reason.code, message: reason.message, by: 'rule' }
}

/** Returns a function that finds the pool of a machine. Undefined if it has none. */
export function poolFinder({ objects, fleet }: FleetSnapshot): (machine: StateNode) => NodePool | undefined {
  const pools = new Map<string, NodePool>(objects.nodePool.map((pool) => [pool.name, pool]))
  return (machine) => pools.get(fleet.poolOf(machine))
}
