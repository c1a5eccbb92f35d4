/** Which machines are candidates now, and what holds the others. A verdict is kept while the rules that it was found by hold. */

import { once, remembered } from '../../../base/caches.ts'
import { defined, isSame } from '../../../base/values.ts'
import type { Decision, DisruptionCursor, DisruptionVerdict, Reason } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { unknownText } from '../../../model/inWords.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { CONSOLIDATION_POLICIES, type NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
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

/** What is known of the verdicts of one decision. */
export type Verdicts = {
  /** Claims whose protection may follow from pods that come, from moves under way, or from moves that failed. */
  readonly concerned: () => ReadonlySet<string>
  /** The verdict on a candidate of another claim. It is kept if only the candidate and the rules decide it. */
  readonly ofOthers: (candidate: KeptCandidate) => CandidateVerdict
  readonly of: (candidate: KeptCandidate) => CandidateVerdict
}

export function verdicts(rules: Rules, snapshot: FleetSnapshot, expecting: () => Expected): Verdicts {
  const ofNow = judge(rules, { snapshot, expected: expecting, promised: promisedClaims(snapshot), budgetsOf: rules.budgetsOf })
  const apart = { snapshot: { ...snapshot, commands: [], backOffs: [] }, expected: () => NOTHING_EXPECTED, promised: NOBODY }
  const ofCandidate = judge(rules, { ...apart, budgetsOf: rules.budgetsOf })
  const concerned = once(() => concernedClaims(snapshot, expecting()))
  function ofOthers(candidate: KeptCandidate): CandidateVerdict {
    const { notes } = candidate
    if (notes.verdict?.rules === rules) return notes.verdict.verdict
    const verdict = ofCandidate(candidate)
    if (!isTimed(candidate)) notes.verdict = { rules, verdict }
    return verdict
  }
  return { concerned, ofOthers, of: (candidate) => (concerned().has(candidate.claim.name) ? ofNow(candidate) : ofOthers(candidate)) }
}

const NOTHING_EXPECTED: Expected = new Map()
const NOBODY: ReadonlySet<NodeClaimName> = new Set()

function concernedClaims(snapshot: FleetSnapshot, expected: Expected): ReadonlySet<string> {
  const { commands, backOffs } = snapshot
  const moving = commands.flatMap(({ replacements }) => replacements)
  return new Set([...promisedClaims(snapshot), ...expected.keys(), ...moving, ...backOffs.flatMap(({ claims }) => claims)])
}

/** Reports whether some pod protects the machine for a time. */
export function isTimed({ machine }: KeptCandidate): boolean {
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
  const { unknownPolicy } = pool.disruption
  const why =
    unknownPolicy === undefined ? 'consolidateAfter: Never' : `consolidationPolicy: ${unknownText([unknownPolicy], CONSOLIDATION_POLICIES)}`
  return reasonOf(claim, 'DISRUPTION.POLICY', `nodepool ${pool.name} never consolidates (${why})`)
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
  /** Names of machines that get pods of moves that the same decision has begun. Undefined: none. */
  readonly receiving?: readonly string[]
  /** The machines with the taint of planned nodes. Undefined if no machine gets the taint. */
  readonly planned?: (snapshot: FleetSnapshot) => readonly PlannedMachine[]
  /** Decides about a simulated cluster. Undefined if nothing is looked ahead. */
  readonly simulateDecision?: DecisionSimulator
}

/** Returns a function that says why a drifted machine is not moved for its drift. Undefined if it may be. */
export function driftBrakes(snapshot: FleetSnapshot): (candidate: CandidateWithCost) => Reason | undefined {
  const brakeOf = remembered((pool: NodePool) => driftBrake(pool, snapshot))
  return ({ claim, pool }) => {
    const message = brakeOf(pool)
    return message === undefined ? undefined : reasonOf(claim, 'DISRUPTION.DRIFT_PAUSED', message)
  }
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
