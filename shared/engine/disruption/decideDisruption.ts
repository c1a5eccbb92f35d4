import { byKey, leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { Action, Decision, Reason } from '../../model/decision.ts'
import { unknownText } from '../../model/inWords.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { CONSOLIDATION_POLICIES, type NodePool } from '../../model/nodePool.ts'
import { timeoutProblems } from '../../model/timeouts.ts'
import { epochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { findingAboutBudget, nextEdge } from './budgets/budgets.ts'
import type { CandidateWithCost } from './candidates/candidate.ts'
import { endDrifted, isDrifted } from './methods/drift.ts'
import { endEmpty, idleMachines } from './methods/emptiness.ts'
import { moveNodes } from './moveNodes.ts'
import { actionsOf, type Move } from './moves/move.ts'
import { taintsToWrite } from './planned/plannedTaints.ts'
import { type ClassifyCandidates, createClassifier } from './verdicts/classifyCandidates.ts'
import { createCandidates, createKeptPools } from './verdicts/keptCandidates.ts'
import { createTriedLooks, type TriedLooks } from './verdicts/moveTurns.ts'
import { createRules, type KeptCandidate, type Planner, type Rules } from './verdicts/verdicts.ts'
import { createWaitingReasons, mergedReasons } from './verdicts/waitingReasons.ts'
import { calmOf } from './waves/calm.ts'
import { begunMovesOf, extraNodesOf, moveRestsOf } from './waves/calmRules.ts'
import { createWave } from './waves/wave.ts'

/**
 * Decides which machines to take away now, as many at once as budgets allow: empty machines, drifted machines, then machines whose pods fit
 * elsewhere or on something cheaper. Every candidate that stays gets a reason. Before `disruptionResumesAt` only empty machines are looked at.
 */
export type DecideDisruption = (snapshot: FleetSnapshot, planner: Planner) => Decision

/** Decides about a cluster that no decision has looked at before. */
export function decideDisruption(snapshot: FleetSnapshot, planner: Planner): Decision {
  return createDisruption()(snapshot, planner)
}

/** Returns a function for the decisions about one cluster. It keeps what a decision finds about machines that do not change. */
export function createDisruption(): DecideDisruption {
  const keptPools = createKeptPools()
  const candidates = createCandidates()
  const rulesOf = createRules()
  const classify = createClassifier()
  const triedLooks = createTriedLooks()
  const waitingReasons = createWaitingReasons()
  return (snapshot, planner) => {
    const { objects } = snapshot
    const look = { snapshot, planner, rules: rulesOf(snapshot), classify, triedLooks, waitingReasons }
    const all = candidates({ ...snapshot, objects: { ...objects, nodePool: keptPools(objects.nodePool) } })
    const { disruptionResumesAt, takenAt } = snapshot
    if (disruptionResumesAt === undefined || takenAt >= disruptionResumesAt) return disrupt(all, look)
    const few = fewOf(snapshot, planner.ending)
    const own = few.size === 0 ? [] : all.filter(({ machine }) => few.has(machine))
    const { wakeAt, ...decided } = disrupt(own, { ...look, classify: createClassifier(), planner: { ...planner, relocate: undefined } })
    const wakes = [...(wakeAt === undefined ? [] : [wakeAt]), ...(hasOthers(snapshot, few) ? [disruptionResumesAt] : [])]
    return { ...decided, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
  }
}

type Look = {
  readonly snapshot: FleetSnapshot
  readonly planner: Planner
  readonly rules: Rules
  readonly classify: ClassifyCandidates
  readonly triedLooks: TriedLooks
  readonly waitingReasons: ReturnType<typeof createWaitingReasons>
}

/** Empty machines, and machines that end in any case and count for budgets. */
function fewOf({ fleet }: FleetSnapshot, ending: ReadonlySet<string>): ReadonlySet<StateNode> {
  const ends = ending.size === 0 ? [] : [...fleet.all()].filter(({ claim }) => claim !== undefined && ending.has(claim.name))
  return new Set([...fleet.empty(), ...ends])
}

/** Reports whether machines with a claim are left to be judged later. An empty drifted machine may be replaced then, if a buffer has room on it. */
function hasOthers({ fleet }: FleetSnapshot, few: ReadonlySet<StateNode>): boolean {
  for (const machine of fleet.all()) {
    const { claim } = machine
    if (claim !== undefined && (!few.has(machine) || isDrifted({ claim }))) return true
  }
  return false
}

/** `weighed`: candidates in the order of their turns. */
function disrupt(weighed: readonly KeptCandidate[], { snapshot, planner, rules, classify, triedLooks, waitingReasons }: Look): Decision {
  const judged = classify(weighed, rules, { snapshot, planner })
  const wave = createWave(snapshot, rules.budgetsOf)
  if (planner.ending.size > 0) for (const each of judged.weighed) if (planner.ending.has(each.claim.name)) wave.take([each])
  wave.fill(planner.receiving ?? [])
  const reasons: Reason[] = [...judged.reasons]
  const refuse = (reason: Reason): void => void reasons.push(reason)
  const quietOnes = endEmpty(judged.empty, wave, refuse)
  const isUnused = (each: CandidateWithCost): boolean => !judged.withRoom.has(each.machine) && each.pods.length === 0
  const mayEnd = judged.drifted.filter((each) => isUnused(each) && !wave.hasTaken(each.machine))
  const empty = [...quietOnes, ...endDrifted(mayEnd, wave, refuse)]
  const planned = planner.planned?.(snapshot)
  const idle = idleMachines(judged.empty, wave)
  const {
    moves,
    wakes: times,
    turn,
    next,
    waiting,
  } = moveNodes(judged, { snapshot, planner, wave, refuse, begun: empty, triedLooks, planned, idle })
  const all = [...empty, ...moves]
  const moved = new Set<string>(all.flatMap(({ candidates }) => candidates.map(({ claim }) => claim.name)))
  const most = snapshot.settings.mostPlannedTaints ?? 0
  const taints = taintsToWrite({ next, planned: planned ?? [], going: moved, most, now: snapshot.takenAt })
  const actions = [...reportBrokenTimeouts(snapshot.objects.nodePool), ...actionsOf(all, snapshot), ...taints]
  const sorted = mergedReasons(reasons, { lasting: judged.lasting, waiting: waitingReasons(waiting) }, moved)
  const wakes = [...judged.wakes, ...times, ...wave.wakes(), ...[...judged.pools].flatMap((pool) => nextEdge(pool, snapshot.takenAt) ?? [])]
  const wakeAt = wakes.length === 0 ? undefined : epochMs(leastOf(wakes))
  return { ...defined({ actions, reasons: sorted, wakeAt, turn }), ...rememberedOf(all, snapshot) }
}

/** What later decisions must know about the moves. */
function rememberedOf(moves: readonly Move[], snapshot: FleetSnapshot): Pick<Decision, 'begunMoves' | 'moveRests' | 'extraNodes'> {
  const [begun, rests, extra] = [begunMovesOf(moves, snapshot), moveRestsOf(moves, snapshot), extraNodesOf(moves, snapshot)]
  return {
    ...(begun.length === 0 ? {} : { begunMoves: begun }),
    ...(rests.length === 0 ? {} : { moveRests: rests }),
    ...(extra.length === 0 ? {} : { extraNodes: extra }),
  }
}

/**
 * The disruption rules of the pool that cannot be read: for each the field, the problem, and what is not disrupted meanwhile. A budget holds nodes
 * only for its own reasons.
 */
export function brokenRules(pool: NodePool, settings: Pick<DecisionSettings, 'calm'>): readonly string[] {
  const calm = calmOf(pool, settings)
  const { budgets, unknownPolicy } = pool.disruption
  return [
    ...budgets.flatMap((budget, index) => {
      const problem = findingAboutBudget(budget)
      const held = budget.reasons === undefined ? 'any reason' : budget.reasons.join(', ')
      return problem === undefined ? [] : [says(`spec.disruption.budgets[${index}].${problem}`, `no node is disrupted for ${held}`)]
    }),
    ...(unknownPolicy === undefined
      ? []
      : [says(`spec.disruption.consolidationPolicy: ${unknownText([unknownPolicy], CONSOLIDATION_POLICIES)}`, 'no node is consolidated')]),
    ...('problem' in calm ? [says(calm.problem, 'no node is moved')] : []),
  ]
}

function says(problem: string, held: string): string {
  return `${problem}; ${held} until that is corrected`
}

/** Events about time-outs of pools that cannot be read. Such a time-out counts as absent. */
function reportBrokenTimeouts(pools: readonly NodePool[]): readonly Action[] {
  const ours = pools.filter(({ template }) => isOurs(template.nodeClassRef))
  return ours.sort(byKey(({ name }) => name)).flatMap(({ name, meta, template }) => {
    const subject = { kind: 'nodePool', name } as const
    return timeoutProblems(template.annotations).map((problem): Action => {
      const message = `nodepool ${name}: spec.template.metadata.${problem}`
      return { kind: 'publish', event: { subject, uid: meta.uid, type: 'Warning', reason: 'InvalidAnnotation', message } }
    })
  })
}
