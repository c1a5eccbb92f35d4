/** Moves of machines with pods: drifted machines, also with room of a buffer alone, machines whose pods fit elsewhere, and machines that something cheaper can replace. */
import { addAll } from '../../base/lists.ts'
import { isTrue } from '../../model/condition.ts'
import type { Reason } from '../../model/decision.ts'
import type { DisruptionCursor } from '../../model/disruptionCursor.ts'
import { CREATION_PAUSED, type NodePool } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, later as laterThan } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import { type Totals, totalsOf } from './balance.ts'
import { oldEnoughAt } from './calm.ts'
import { type CandidateWithCost, reasonOf } from './candidate.ts'
import { type ClassifiedCandidates, once, type Planner } from './classifyCandidates.ts'
import type { Consolidating } from './consolidating.ts'
import { deleteNodes, replaceNodes } from './consolidation.ts'
import { isDrifted, replaceDrifted } from './drift.ts'
import { lookAhead } from './lookahead/lookAhead.ts'
import { mergeMachines } from './merging.ts'
import type { Move } from './move.ts'
import { lastTurn, MOST_STEPS, tryInTurn, turnsAfter, waitsForItsTurn } from './moveTurns.ts'
import { type NextWave, nextWave } from './nextWave.ts'
import { relocatable } from './relocatable.ts'
import { consolidateByBestStrategy, FEW_FOR_STRATEGIES } from './strategies.ts'
import type { Wave } from './wave.ts'

/** How soon to decide again while machines wait for their turn. */
const NEXT_LOOK = durationMs(1_000)

export type Moving = {
  readonly snapshot: FleetSnapshot
  readonly planner: Planner
  readonly wave: Wave
  readonly refuse: (reason: Reason) => void
  /** The moves that the same decision has begun already. */
  readonly begun: readonly Move[]
}

/** `turn`: see `Decision.turn`. `wakes`: the times from which more machines may go. */
export type Moves = {
  readonly moves: readonly Move[]
  readonly wakes: readonly EpochMs[]
  readonly turn: DisruptionCursor | undefined
  /** The machines that go next. Undefined if this decision does not tell. */
  readonly next?: NextWave
}

export function moveNodes(judged: ClassifiedCandidates, moving: Moving): Moves {
  const { snapshot, planner, wave, refuse } = moving
  const hasPods = (each: CandidateWithCost): boolean => each.pods.length > 0 && !wave.hasTaken(each.machine)
  const drifted = judged.drifted.filter((each) => hasPods(each) || judged.withRoom.has(each.machine))
  const busy = judged.quiet.filter((each) => hasPods(each) && !isDrifted(each))
  if (planner.relocate === undefined) {
    for (const { claim } of [...drifted, ...busy])
      refuse(reasonOf(claim, 'DISRUPTION.PENDING', 'this decision places pending pods; running pods stay on their nodes'))
    return { moves: [], wakes: [], turn: snapshot.disruptionCursor }
  }
  const young: EpochMs[] = []
  const movable = [...drifted, ...busy.filter(mayConsolidate(snapshot, young, refuse))]
  const mayMove = movable.filter((each) => {
    const held = whilePaused(each) ?? wave.overBudget([each], isDrifted(each) ? 'Drifted' : 'Underutilized')
    if (held !== undefined) refuse(held)
    return held === undefined
  })
  const { moves, turn, tried, consolidating } = tryOut(mayMove, judged, moving, planner.relocate)
  const wakes = turn === undefined ? young : [...young, laterThan(snapshot.takenAt, NEXT_LOOK)]
  if (planner.planned === undefined) return { moves, turn, wakes }
  const { relocate } = planner
  const next = nextWave({
    movable: [...judged.quiet.filter(({ pods }) => pods.length === 0), ...movable.filter((each) => whilePaused(each) === undefined)],
    weighed: judged.weighed,
    snapshot,
    wave,
    named: new Set(planner.planned(snapshot).map(({ claim }) => claim.name)),
    // A relocation has one plan at a time. The plan of moves that begin now goes on.
    begun: moves.length === 0 ? undefined : { tried: new Set(tried), consolidating },
    consolidatingFor(machines) {
      const relocation = once(() => relocate(machines))
      return consolidatingWith(relocation, stepsOf(relocation), judged, { snapshot, wave, refuse: () => undefined })
    },
  })
  return { moves, turn, wakes, next }
}

/** Returns a function that tells the steps since its first call. */
function stepsOf(relocation: Consolidating['relocation']): () => number {
  const begun = once(() => relocation().spent())
  return () => relocation().spent() - begun()
}

function consolidatingWith(
  relocation: Consolidating['relocation'],
  spent: () => number,
  { weighed }: ClassifiedCandidates,
  { snapshot, wave, refuse }: Pick<Moving, 'snapshot' | 'wave' | 'refuse'>,
): Consolidating {
  const isSpent = (): boolean => spent() > MOST_STEPS
  return { relocation, wave, totals: totalsByPool(weighed, snapshot), settings: snapshot.settings, refuse, kept: [], isSpent }
}

function tryOut(
  candidates: readonly CandidateWithCost[],
  judged: ClassifiedCandidates,
  { snapshot, planner, wave, refuse, begun: earlier }: Moving,
  relocate: NonNullable<Planner['relocate']>,
): Pick<Moves, 'moves' | 'turn'> & { readonly tried: readonly CandidateWithCost[]; readonly consolidating: Consolidating } {
  const turns = turnsAfter(snapshot.disruptionCursor, candidates)
  const { now, later, before } = turns
  const relocation = once(() => relocate(relocatable(now, candidates, { weighed: judged.weighed, snapshot, wave })))
  const spent = stepsOf(relocation)
  const consolidating = consolidatingWith(relocation, spent, judged, { snapshot, wave, refuse })
  const moves: Move[] = []
  const stays = ({ machine }: CandidateWithCost): boolean => !wave.hasTaken(machine)
  const leftDrifted = tryInTurn(now.filter(isDrifted), spent, (group) => addAll(moves, replaceDrifted(group, relocation, wave, refuse)))
  const busy = now.filter((each) => !isDrifted(each))
  if (leftDrifted.length === 0 && later.length === 0 && busy.length <= FEW_FOR_STRATEGIES) {
    addAll(moves, consolidateByBestStrategy(busy, consolidating, lookAhead(snapshot, planner, [...earlier, ...moves])))
    for (const each of before) refuse(waitsForItsTurn(each))
    return { moves, turn: undefined, tried: now, consolidating }
  }
  const deleted = leftDrifted.length > 0 ? { moves: [], left: busy } : deleteNodes(busy, consolidating)
  addAll(moves, deleted.moves)
  const left = tryInTurn(deleted.left, spent, (group) => {
    addAll(moves, replaceNodes(group, consolidating))
    addAll(moves, mergeMachines(group.filter(stays), consolidating))
  })
  const waiting = new Set([...leftDrifted, ...left])
  for (const each of [...waiting, ...later, ...before]) refuse(waitsForItsTurn(each))
  return { moves, turn: lastTurn(turns, waiting), tried: now, consolidating }
}

/** Why the machine stays: new machines of its pool do not join, for whatever reason, so room given up now could not be had again. */
function whilePaused({ claim, pool }: CandidateWithCost): Reason | undefined {
  if (!isTrue(pool.status.conditions, CREATION_PAUSED)) return undefined
  return reasonOf(claim, 'DISRUPTION.FROZEN', `new nodes of nodepool ${pool.name} do not join, so its nodes with pods stay meanwhile`)
}

/** Returns a function that reports whether the policy and the calm settings of its pool let a machine with pods go. */
function mayConsolidate(
  snapshot: FleetSnapshot,
  wakes: EpochMs[],
  refuse: (reason: Reason) => void,
): (candidate: CandidateWithCost) => boolean {
  return (candidate) => {
    const { claim, pool } = candidate
    const from = oldEnoughAt(candidate, snapshot.settings)
    if (pool.disruption.consolidationPolicy !== 'WhenEmpty') {
      if (from <= snapshot.takenAt) return true
      wakes.push(from)
      const seconds = Math.ceil((from - snapshot.takenAt) / 1000)
      refuse(reasonOf(claim, 'DISRUPTION.CALM', `its node is too young to be consolidated; ${seconds} s are left`, { seconds }))
      return false
    }
    refuse(reasonOf(claim, 'DISRUPTION.POLICY', `consolidationPolicy of nodepool ${pool.name} is WhenEmpty, and the node has pods`))
    return false
  }
}

function totalsByPool(weighed: readonly CandidateWithCost[], { fleet }: FleetSnapshot): (pool: NodePool) => Totals {
  const known = new Map<NodePool, Totals>()
  return (pool) => {
    const totals =
      known.get(pool) ??
      totalsOf(
        weighed.filter((each) => each.pool === pool),
        fleet.of(pool.name),
      )
    known.set(pool, totals)
    return totals
  }
}
