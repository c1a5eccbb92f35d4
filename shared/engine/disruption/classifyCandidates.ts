/** Judges which machines may go: unprotected machines that have been quiet for long enough, and drifted machines. All others get a reason. */

import { byKey } from '../../base/order.ts'
import { findCondition } from '../../model/condition.ts'
import type { Reason } from '../../model/decision.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED } from '../../model/nodePool.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import type { Relocation } from '../scheduling/relocation/relocation.ts'
import type { Relocatable } from '../scheduling/relocation/relocationProblem.ts'
import { calmOf } from './calm.ts'
import { type CandidateWithCost, candidatesOf, quietAt, reasonOf, withCosts } from './candidate.ts'
import { isDrifted } from './drift.ts'
import { driftBrake } from './driftBrake.ts'
import type { DecisionSimulator } from './lookahead/simulateDecisions.ts'
import type { PlannedMachine } from './plannedTaints.ts'
import { podBudgets } from './podBudgets.ts'
import { type Expected, ofPodsAlone, promisedClaims, protectionOf } from './protection.ts'

/** The answers that only planning can give. Each takes a plan, and is asked for only when something depends on it. */
export type Planner = {
  /** The claims where pods without a place would go. */
  readonly expecting: () => Expected
  /** Plans where the pods of machines would go. Undefined while waiting pods get their places: running pods stay where they are then. */
  readonly relocate: ((machines: Relocatable) => Relocation) | undefined
  /** Claims that end in the same decision, whatever else is decided. */
  readonly ending: ReadonlySet<string>
  /** The machines with the taint of planned nodes. Undefined if no machine gets the taint. */
  readonly planned?: (snapshot: FleetSnapshot) => readonly PlannedMachine[]
  /** Decides about a simulated cluster. Undefined if nothing is looked ahead. */
  readonly simulateDecision?: DecisionSimulator
}

export type ClassifiedCandidates = {
  readonly weighed: readonly CandidateWithCost[]
  /** Machines that nothing protects and that have been quiet for long enough. */
  readonly quiet: readonly CandidateWithCost[]
  /** Machines that nothing protects and that are no longer what their pool asks for. */
  readonly drifted: readonly CandidateWithCost[]
  /** Those of `drifted` where buffers have room. The room must be elsewhere before they go. */
  readonly withRoom: ReadonlySet<StateNode>
  readonly reasons: readonly Reason[]
  readonly wakes: readonly EpochMs[]
}

export function classifyCandidates(snapshot: FleetSnapshot, planner: Planner, machines: Iterable<StateNode>): ClassifiedCandidates {
  const weighed = candidatesOf(machines, snapshot)
    .map(withCosts(snapshot))
    .sort(byKey(({ claim }) => claim.name))
  const expected = once(planner.expecting)
  const input = { snapshot, expected, promised: promisedClaims(snapshot), budgetsOf: podBudgets(snapshot.objects.podDisruptionBudget) }
  const ofPods = { ...input, expected: once(ofPodsAlone(expected)) }
  const driftOf = driftCheck(snapshot, ofPods)
  const quiet: CandidateWithCost[] = []
  const drifted: CandidateWithCost[] = []
  const reasons: Reason[] = []
  const wakes: EpochMs[] = []
  const forbidden = forbiddenIn(snapshot)
  for (const each of weighed.filter(({ claim }) => !planner.ending.has(claim.name))) {
    const frozen = frozenBy(each, snapshot, forbidden)
    if (frozen !== undefined) {
      reasons.push(frozen)
      continue
    }
    const { isDrifting, mayDrift, braked } = driftOf(each)
    if (mayDrift) drifted.push(each)
    if (braked !== undefined) reasons.push(braked)
    // As in Karpenter, a buffer keeps a machine without pods. From one with pods, its room moves with them.
    const protection = protectionOf(each, each.pods.length === 0 ? input : ofPods)
    if (protection !== undefined) {
      if (!mayDrift) reasons.push(protection)
      continue
    }
    const quietSince = quietAt(each)
    if (quietSince === undefined) {
      if (!isDrifting)
        reasons.push(reasonOf(each.claim, 'DISRUPTION.POLICY', `nodepool ${each.pool.name} never consolidates (consolidateAfter: Never)`))
    } else if (quietSince > snapshot.takenAt) {
      wakes.push(quietSince)
      if (!isDrifting) reasons.push(notQuiet(each, quietSince, snapshot))
    } else quiet.push(each)
  }
  const withRoom = new Set(drifted.filter(({ claim }) => expected().has(claim.name)).map(({ machine }) => machine))
  return { weighed, quiet, drifted, withRoom, reasons, wakes }
}

/** Why no machine may go: Azure forbids new nodes of some pool, so a machine that goes could not be replaced. Undefined if it forbids none. */
export function forbiddenIn({ objects }: FleetSnapshot): string | undefined {
  const names = objects.nodePool.flatMap(({ name, status }) =>
    findCondition(status.conditions, CREATION_PAUSED)?.reason === CREATION_FORBIDDEN ? [name] : [],
  )
  if (names.length === 0) return undefined
  return `Azure refuses to create nodes of nodepool ${names.sort().join(', ')}, so a node that is removed now could not be replaced`
}

/** Why the machine may not be moved: its moves are frozen, or a rule of its pool cannot be read. Undefined if it may. */
export function frozenBy(
  { claim, pool }: CandidateWithCost,
  { settings }: FleetSnapshot,
  forbidden: string | undefined,
): Reason | undefined {
  if (forbidden !== undefined) return reasonOf(claim, 'DISRUPTION.FROZEN', forbidden)
  const calm = calmOf(pool, settings)
  if ('problem' in calm)
    return reasonOf(claim, 'DISRUPTION.CALM', `nodepool ${pool.name}: ${calm.problem}; its nodes stay until that is corrected`)
  return calm.isFrozen
    ? reasonOf(
        claim,
        'DISRUPTION.FROZEN',
        `disruption of nodepool ${pool.name} is frozen by DISRUPTION_FREEZE or by the annotation joiner.dev/freeze-disruption`,
      )
    : undefined
}

type DriftCheck = { readonly isDrifting: boolean; readonly mayDrift: boolean; readonly braked?: Reason }

const NO_DRIFT: DriftCheck = { isDrifting: false, mayDrift: false }

/** Returns a function that judges whether a machine may be moved for its drift. */
function driftCheck(snapshot: FleetSnapshot, input: Parameters<typeof protectionOf>[1]): (candidate: CandidateWithCost) => DriftCheck {
  const brakeOf = driftBrakes(snapshot)
  return (candidate) => {
    if (!isDrifted(candidate)) return NO_DRIFT
    const brake = brakeOf(candidate)
    if (brake !== undefined) return { isDrifting: true, mayDrift: false, braked: brake }
    return { isDrifting: true, mayDrift: protectionOf(candidate, input, isGraced(candidate)) === undefined }
  }
}

/** Returns a function that says why a drifted machine is not moved for its drift. Undefined if it may be. */
export function driftBrakes(snapshot: FleetSnapshot): (candidate: CandidateWithCost) => Reason | undefined {
  const brakes = new Map<string, string | undefined>()
  return ({ claim, pool }) => {
    if (!brakes.has(pool.name)) brakes.set(pool.name, driftBrake(pool, snapshot))
    const message = brakes.get(pool.name)
    return message === undefined ? undefined : reasonOf(claim, 'DISRUPTION.DRIFT_PAUSED', message)
  }
}

function notQuiet({ claim, pool }: CandidateWithCost, until: EpochMs, { takenAt }: FleetSnapshot): Reason {
  const seconds = Math.ceil((until - takenAt) / 1000)
  const message = `consolidateAfter of nodepool ${pool.name} has not passed since the last pod came or went; ${seconds} s are left`
  return reasonOf(claim, 'DISRUPTION.QUIET', message, { seconds })
}

/** Reports whether its claim has a terminationGracePeriod, which bounds how long pods can hold it. */
export function isGraced({ claim }: CandidateWithCost): boolean {
  return claim.spec.terminationGracePeriod !== undefined
}

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
