import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { reportBrokenTimeouts } from './brokenTimeouts.ts'
import { nextEdge } from './budgets/budgets.ts'
import type { CandidateWithCost } from './candidates/candidate.ts'
import type { KeptCandidate, Rules } from './candidates/keptCandidate.ts'
import { endDrifted, isDrifted } from './methods/drift.ts'
import { endEmpty } from './methods/emptiness.ts'
import { idleMachines } from './methods/idleMachines.ts'
import { moveNodes } from './moveNodes.ts'
import { actionsOf, type Move } from './moves/move.ts'
import { taintsToWrite } from './planned/plannedTaints.ts'
import { classifyCandidates, type Planner } from './verdicts/classifyCandidates.ts'
import { createCandidates } from './verdicts/keptCandidates.ts'
import { createKeptPools } from './verdicts/keptPools.ts'
import { createTriedLooks, type TriedLooks } from './verdicts/triedLooks.ts'
import { createRules } from './verdicts/verdicts.ts'
import { createWaitingReasons, mergedReasons } from './verdicts/waitingReasons.ts'
import { extraNodesOf } from './waves/extraNodes.ts'
import { begunMovesOf } from './waves/hourlyMoves.ts'
import { moveRestsOf } from './waves/restAfterMoves.ts'
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
  const triedLooks = createTriedLooks()
  const waitingReasons = createWaitingReasons()
  return (snapshot, planner) => {
    const { objects } = snapshot
    const look = { snapshot, planner, rules: rulesOf(snapshot), triedLooks, waitingReasons }
    const all = candidates({ ...snapshot, objects: { ...objects, nodePool: keptPools(objects.nodePool) } })
    const { disruptionResumesAt, takenAt } = snapshot
    if (disruptionResumesAt === undefined || takenAt >= disruptionResumesAt) return disrupt(all, look)
    const few = fewOf(snapshot, planner.ending)
    const own = few.size === 0 ? [] : all.filter(({ machine }) => few.has(machine))
    const { wakeAt, ...decided } = disrupt(own, { ...look, planner: { ...planner, relocate: undefined } })
    const wakes = [...(wakeAt === undefined ? [] : [wakeAt]), ...(hasOthers(snapshot, few) ? [disruptionResumesAt] : [])]
    return { ...decided, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
  }
}

type Look = {
  readonly snapshot: FleetSnapshot
  readonly planner: Planner
  readonly rules: Rules
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
function disrupt(weighed: readonly KeptCandidate[], { snapshot, planner, rules, triedLooks, waitingReasons }: Look): Decision {
  const judged = classifyCandidates(weighed, rules, { snapshot, planner })
  const wave = createWave(snapshot, rules.budgetsOf)
  if (planner.ending.size > 0) for (const each of judged.weighed) if (planner.ending.has(each.claim.name)) wave.take([each])
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
  const sorted = mergedReasons(reasons, waitingReasons(waiting), moved)
  const wakes = [...judged.wakes, ...times, ...wave.wakes(), ...edgesOf(judged.pools, snapshot)]
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

function edgesOf(pools: Iterable<NodePool>, { takenAt }: FleetSnapshot): readonly EpochMs[] {
  return [...pools].flatMap((pool) => nextEdge(pool, takenAt) ?? [])
}
