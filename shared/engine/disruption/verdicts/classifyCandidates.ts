/** Judges which machines may go: unprotected machines that have been quiet for long enough, and drifted machines. All others get a reason. */
import { once, remembered } from '../../../base/remembered.ts'
import type { Reason } from '../../../model/decision.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import type { Relocation } from '../../scheduling/relocation/relocation.ts'
import type { Relocatable } from '../../scheduling/relocation/relocationProblem.ts'
import type { TryChanges } from '../../scheduling/relocation/tryReads.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import type { CandidateVerdict, KeptCandidate, Rules } from '../candidates/keptCandidate.ts'
import { type Expected, protectionEnds } from '../candidates/protection.ts'
import type { DecisionSimulator } from '../lookahead/simulateDecisions.ts'
import { driftBrake } from '../moves/driftBrake.ts'
import type { PlannedMachine } from '../planned/plannedTaints.ts'
import { verdicts } from './verdicts.ts'

/** The answers that only planning can give. Each takes a plan, and is asked for only when something depends on it. */
export type Planner = {
  /** The claims where pods without a place would go. */
  readonly expecting: () => Expected
  /** Plans where the pods of machines would go. Undefined while waiting pods get their places: running pods stay where they are then. */
  readonly relocate: ((machines: Relocatable) => Relocation) | undefined
  /** What has changed for tries since the last decision. Undefined: tries of earlier decisions are not used. */
  readonly tryChanges?: () => TryChanges | undefined
  /** Claims that end in the same decision, whatever else is decided. */
  readonly ending: ReadonlySet<string>
  /** The machines with the taint of planned nodes. Undefined if no machine gets the taint. */
  readonly planned?: (snapshot: FleetSnapshot) => readonly PlannedMachine[]
  /** Decides about a simulated cluster. Undefined if nothing is looked ahead. */
  readonly simulateDecision?: DecisionSimulator
}

export type ClassifiedCandidates = {
  readonly weighed: readonly KeptCandidate[]
  /** Machines that nothing protects and that have been quiet for long enough. `empty`: those without pods. `busy`: those with pods that did not drift. */
  readonly empty: readonly KeptCandidate[]
  readonly busy: readonly KeptCandidate[]
  /** The pools of the candidates. */
  readonly pools: ReadonlySet<NodePool>
  /** Machines that nothing protects and that are no longer what their pool asks for. */
  readonly drifted: readonly KeptCandidate[]
  /** Drifted machines with room of buffers. Such a machine goes once the room is elsewhere. */
  readonly withRoom: ReadonlySet<StateNode>
  readonly reasons: readonly Reason[]
  readonly wakes: readonly EpochMs[]
}

/** `weighed`: the candidates in the order of their turns. The lists have the same order. */
export function classifyCandidates(
  weighed: readonly KeptCandidate[],
  rules: Rules,
  { snapshot, planner }: { readonly snapshot: FleetSnapshot; readonly planner: Planner },
): ClassifiedCandidates {
  const expected = once(planner.expecting)
  const verdictOf = verdicts(rules, snapshot, expected)
  const brakeOf = driftBrakes(snapshot)
  const pools = new Set<NodePool>()
  const lists: Lists = { empty: [], busy: [], drifted: [], reasons: [], wakes: [] }
  let last: NodePool | undefined
  for (const each of weighed) {
    // Neighbours in the order of turns mostly have the same pool.
    if (each.pool !== last) pools.add(each.pool)
    last = each.pool
    if (planner.ending.size > 0 && planner.ending.has(each.claim.name)) continue
    const verdict = verdictOf(each)
    sortInto(lists, each, each.turn.isDrifted ? withBrake(verdict, brakeOf(each)) : verdict, snapshot)
  }
  const withRoom = new Set(lists.drifted.filter(({ claim }) => expected().has(claim.name)).map(({ machine }) => machine))
  return { ...lists, weighed, pools, withRoom }
}

type Lists = {
  readonly empty: KeptCandidate[]
  readonly busy: KeptCandidate[]
  readonly drifted: KeptCandidate[]
  readonly reasons: Reason[]
  readonly wakes: EpochMs[]
}

function sortInto(lists: Lists, each: KeptCandidate, { mayDrift, reason, quietAt }: CandidateVerdict, snapshot: FleetSnapshot): void {
  const { isDrifted } = each.turn
  if (mayDrift) lists.drifted.push(each)
  if (reason !== undefined) {
    lists.reasons.push(reason)
    const end = reason.code === 'DISRUPTION.DO_NOT_DISRUPT' ? protectionEnds(each, snapshot.takenAt) : undefined
    if (end !== undefined) lists.wakes.push(end)
  }
  if (quietAt === undefined) return
  if (quietAt > snapshot.takenAt) {
    lists.wakes.push(quietAt)
    if (!isDrifted) lists.reasons.push(notQuiet(each, quietAt, snapshot))
  } else if (each.pods.length === 0) lists.empty.push(each)
  else if (!isDrifted) lists.busy.push(each)
}

/** The verdict on a drifted machine. The brake keeps the machine. Without the brake, a reason against consolidation does not keep a machine that may drift. */
function withBrake(verdict: CandidateVerdict, brake: Reason | undefined): CandidateVerdict {
  if (verdict.isFrozen === true) return verdict
  if (brake !== undefined) return { ...verdict, mayDrift: false, reason: brake }
  const { reason: _, ...others } = verdict
  return verdict.mayDrift ? others : verdict
}

/** Returns a function that says why a drifted machine is not moved for its drift. Undefined if it may be. */
export function driftBrakes(snapshot: FleetSnapshot): (candidate: CandidateWithCost) => Reason | undefined {
  const brakeOf = remembered((pool: NodePool) => driftBrake(pool, snapshot))
  return ({ claim, pool }) => {
    const message = brakeOf(pool)
    return message === undefined ? undefined : reasonOf(claim, 'DISRUPTION.DRIFT_PAUSED', message)
  }
}

function notQuiet({ claim, pool }: KeptCandidate, until: EpochMs, { takenAt }: FleetSnapshot): Reason {
  const seconds = Math.ceil((until - takenAt) / 1000)
  const message = `consolidateAfter of nodepool ${pool.name} has not passed since the last pod came or went; ${seconds} s are left`
  return reasonOf(claim, 'DISRUPTION.QUIET', message, { seconds })
}
