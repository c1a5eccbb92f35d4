/** Which machines are candidates now, and what holds the others. A verdict is kept while the rules that it was found by hold. */

import { once, remembered } from '../../../base/caches.ts'
import { defined, isSame } from '../../../base/values.ts'
import type { Decision, DisruptionCursor, DisruptionVerdict, Reason } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import type { Relocation } from '../../scheduling/relocation/relocation.ts'
import type { Relocatable } from '../../scheduling/relocation/relocationProblem.ts'
import type { TryChanges } from '../../scheduling/relocation/tryReads.ts'
import { type CandidateWithCost, factsOf, isGraced, reasonOf } from '../candidates/candidate.ts'
import {
  type BudgetsOf,
  type Expected,
  ofPodsAlone,
  type ProtectionInput,
  podBudgets,
  promisedClaims,
  protectionEnds,
  protectionOf,
} from '../candidates/protection.ts'
import type { Trial } from '../candidates/trial.ts'
import type { DecisionSimulator } from '../lookahead/lookAhead.ts'
import { isDrifted } from '../methods/drift.ts'
import { driftBrake } from '../moves/move.ts'
import type { PlannedMachine } from '../planned/plannedTaints.ts'
import { forbiddenIn, frozenBy } from '../waves/calm.ts'

/** Returns a function that finds the rules of a snapshot. */
export function createRules(): (snapshot: FleetSnapshot) => Rules {
  let last: Rules | undefined
  return (snapshot) => {
    const forbidden = forbiddenIn(snapshot)
    const { podDisruptionBudget } = snapshot.objects
    const { calm } = snapshot.settings
    const holds = last?.forbidden === forbidden && last?.podDisruptionBudget === podDisruptionBudget && isSame(last.calm, calm)
    if (last !== undefined && holds) return last
    last = { forbidden, calm, podDisruptionBudget, budgetsOf: podBudgets(podDisruptionBudget) }
    return last
  }
}

/** Returns a function that finds the verdict on a candidate. A verdict is kept if only the candidate and the rules decide it. */
export function verdicts(rules: Rules, snapshot: FleetSnapshot, expecting: () => Expected): (candidate: KeptCandidate) => CandidateVerdict {
  const ofNow = judge(rules, { snapshot, expected: expecting, promised: promisedClaims(snapshot), budgetsOf: rules.budgetsOf })
  const apart = { snapshot: { ...snapshot, commands: [], backOffs: [] }, expected: () => NOTHING_EXPECTED, promised: NOBODY }
  const ofCandidate = judge(rules, { ...apart, budgetsOf: rules.budgetsOf })
  const concerned = once(() => concernedClaims(snapshot, expecting()))
  return (candidate) => {
    if (concerned().size > 0 && concerned().has(candidate.claim.name)) return ofNow(candidate)
    const { notes } = candidate
    if (notes.verdict?.rules === rules) return notes.verdict.verdict
    const verdict = ofCandidate(candidate)
    if (!isTimed(candidate)) notes.verdict = { rules, verdict }
    return verdict
  }
}

const NOTHING_EXPECTED: Expected = new Map()
const NOBODY: ReadonlySet<NodeClaimName> = new Set()

/** Claims whose protection may follow from pods that come, from moves under way, or from moves that failed. */
function concernedClaims(snapshot: FleetSnapshot, expected: Expected): ReadonlySet<string> {
  const { commands, backOffs } = snapshot
  const moving = commands.flatMap(({ replacements }) => replacements)
  return new Set([...promisedClaims(snapshot), ...expected.keys(), ...moving, ...backOffs.flatMap(({ claims }) => claims)])
}

/** Reports whether some pod protects the machine for a time. */
function isTimed({ machine }: KeptCandidate): boolean {
  return factsOf(machine).withDoNotDisrupt.some(({ annotations }) => annotations[ANNOTATION.doNotDisrupt] !== 'true')
}

function judge({ forbidden }: Rules, input: ProtectionInput): (candidate: KeptCandidate) => CandidateVerdict {
  const ofPods: ProtectionInput = { ...input, expected: once(ofPodsAlone(input.expected)) }
  return (candidate) => {
    const frozen = frozenBy(candidate, input.snapshot, forbidden)
    if (frozen !== undefined) return { reason: frozen, isFrozen: true, mayDrift: false }
    const isDrifting = isDrifted(candidate)
    const mayDrift = isDrifting && protectionOf(candidate, ofPods, isGraced(candidate)) === undefined
    // As in Karpenter, a buffer keeps a machine without pods. From one with pods, its room moves with them.
    const reason = protectionOf(candidate, candidate.pods.length === 0 ? input : ofPods)
    if (reason !== undefined) return { mayDrift, reason }
    const { quietAt } = candidate
    if (quietAt !== undefined) return { mayDrift, quietAt }
    return isDrifting ? { mayDrift } : { mayDrift, reason: neverQuiet(candidate) }
  }
}

function neverQuiet({ claim, pool }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.POLICY', `nodepool ${pool.name} never consolidates (consolidateAfter: Never)`)
}

/**
 * The verdict on one machine: what moves do with it, or the rule that stops them. `decided` is a decision made from the same snapshot as `commands`.
 * Undefined if nothing was decided about the machine and no move has it.
 */
export function verdictOn(claim: NodeClaimName, decided: Decision, commands: readonly DisruptionCommand[]): DisruptionVerdict | undefined {
  const holds = ({ candidates }: DisruptionCommand): boolean => candidates.some((each) => each.claim === claim)
  const command = commands.find(holds)
  if (command !== undefined) return { kind: 'moving', command }
  for (const action of decided.actions) {
    if (action.kind === 'deleteClaim' && action.claim === claim) {
      const saving = action.saves?.price
      return defined({ kind: 'next' as const, reason: action.because, nodes: 1, pods: action.pods?.length ?? 0, replacements: [], saving })
    }
    if (action.kind === 'startCommand' && holds(action.command)) {
      const { reason, candidates, replacements, saving } = action.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      return defined({ kind: 'next' as const, reason, nodes: candidates.length, pods, replacements, saving })
    }
  }
  const against = decided.reasons.find(({ subject }) => subject.kind === 'nodeClaim' && subject.name === claim)
  if (against === undefined) return undefined
  const { code, message, fields } = against
  return defined({ kind: 'stays' as const, code, message, fields })
}

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
  /**
   * Machines that nothing protects and that have been quiet for long enough. `empty`: those without pods. `busy`: those with pods that did not drift.
   */
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

/**
 * Judges which machines may go: unprotected machines that have been quiet for long enough, and drifted machines. All others get a reason. `weighed`:
 * the candidates in the order of their turns. The lists have the same order.
 */
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

/**
 * The verdict on a drifted machine. The brake keeps the machine. Without the brake, a reason against consolidation does not keep a machine that may
 * drift.
 */
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

/** A candidate that is kept between decisions, until its machine changes. */
export type KeptCandidate = CandidateWithCost & {
  /** Its position in the order in which candidates are tried. */
  readonly turn: DisruptionCursor
  /** From when its machine is quiet. Undefined if its pool never consolidates. */
  readonly quietAt: EpochMs | undefined
  readonly trial: Trial
  /** Answers about the candidate that later decisions use again. They go with the candidate. */
  readonly notes: Notes
}

type Notes = { verdict?: KeptVerdict }

/** The brake of drift is not part of a verdict: it depends on other machines of the pool. */
export type CandidateVerdict = {
  /** Why the machine stays, unless it goes for its drift. */
  readonly reason?: Reason
  /** True if no move of the machine may begin, whatever its state. */
  readonly isFrozen?: true
  /** True if the machine drifted and nothing protects it from going for its drift. */
  readonly mayDrift: boolean
  /** From when the machine is quiet, if nothing protects it and its pool consolidates. */
  readonly quietAt?: EpochMs
}

/** `rules`: the rules that the verdict was found by. */
export type KeptVerdict = { readonly rules: Rules; readonly verdict: CandidateVerdict }

/** What verdicts depend on beside the candidate. Equal rules are the same object. */
export type Rules = {
  readonly forbidden: string | undefined
  readonly calm: FleetSnapshot['settings']['calm']
  readonly podDisruptionBudget: readonly PodDisruptionBudget[]
  readonly budgetsOf: BudgetsOf
}
