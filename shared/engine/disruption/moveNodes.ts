/** Moves of machines with pods: drifted machines, also with room of a buffer alone, machines whose pods fit elsewhere, and machines that something cheaper can replace. */
import { once, remembered } from '../../base/caches.ts'
import { byKey } from '../../base/lists.ts'
import { isTrue } from '../../model/condition.ts'
import type { Reason } from '../../model/decision.ts'
import { CREATION_PAUSED, type DisruptionReason, type NodePool } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, later as laterThan } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { reasonOf } from './candidates/candidate.ts'
import { type LookFurther, type NextWave, nextWave } from './nextWave.ts'
import { consolidatingWith, type Moves, type Moving, type TriedMoves, totalsByPool, tryMoves } from './tryMoves.ts'
import type { ClassifiedCandidates } from './verdicts/classifyCandidates.ts'
import type { KeptCandidate, Planner } from './verdicts/verdicts.ts'
import type { Waiting } from './verdicts/waitingReasons.ts'
import { calmSetting } from './waves/calm.ts'

/** How soon to decide again while machines wait for their turn. */
const NEXT_LOOK = durationMs(1_000)

export function moveNodes(judged: ClassifiedCandidates, moving: Moving): Moves {
  const { snapshot, planner, wave, refuse } = moving
  const drifted = judged.drifted.filter(
    (each) => (each.pods.length > 0 && !wave.hasTaken(each.machine)) || judged.withRoom.has(each.machine),
  )
  const { busy } = judged
  if (planner.relocate === undefined) {
    return { moves: [], wakes: [], turn: snapshot.disruptionCursor, waiting: { because: 'placing', among: behind(drifted, busy) } }
  }
  const young: EpochMs[] = []
  const isPaused = remembered(({ status }: NodePool) => isTrue(status.conditions, CREATION_PAUSED))
  function isLetGo(each: KeptCandidate, reason: DisruptionReason): boolean {
    const held = isPaused(each.pool) ? pausedReason(each) : wave.overBudget([each], reason)
    if (held !== undefined) refuse(held)
    return held === undefined
  }

  const consolidatable = holding(busy, judged.pools, consolidationRule(snapshot, young, refuse))
  const movable = behind(drifted, consolidatable)
  const driftedNow = drifted.filter((each) => isLetGo(each, 'Drifted'))
  const busyNow = holding(consolidatable, judged.pools, {
    isFree: (pool) => !isPaused(pool) && wave.holdsNone(pool, 'Underutilized'),
    mayGo: (each) => isLetGo(each, 'Underutilized'),
  })
  const mayMove = behind(driftedNow, busyNow)
  const { moves, turn, begun, hadTurn } = tryMoves(mayMove, judged, moving, planner.relocate)
  const wakes = turn === undefined ? young : [...young, laterThan(snapshot.takenAt, NEXT_LOOK)]
  const waiting: Waiting = { because: 'turn', among: mayMove, without: hadTurn }
  if (moving.planned === undefined) return { moves, turn, wakes, waiting }
  if ((snapshot.settings.mostPlannedTaints ?? 0) === 0) return { moves, turn, wakes, waiting, next: { machines: [], isWhole: true } }
  const mayWait = remembered((pool: NodePool) => !isPaused(pool) && wave.mayWait(pool))
  // Mostly budgets hold no machine, and then none is looked at.
  const going = [...judged.pools].some(mayWait) ? movable.filter(({ pool }) => mayWait(pool)) : []
  const named = new Set(moving.planned.map(({ claim }) => claim.name))
  return { moves, turn, wakes, waiting, next: lookFurther(going, judged, { begun, moving, named, relocate: planner.relocate }) }
}

/** A rule that machines must pass. `isFree`: all machines of the pool pass. */
type PassRule = { readonly isFree: (pool: NodePool) => boolean; readonly mayGo: (candidate: KeptCandidate) => boolean }

/** The machines that pass the rule. Where all pools are free, no machine is looked at. `pools`: those of the machines, and perhaps others. */
function holding(machines: readonly KeptCandidate[], pools: Iterable<NodePool>, { isFree, mayGo }: PassRule): readonly KeptCandidate[] {
  const free = new Set([...pools].filter(isFree))
  const isAllFree = [...pools].every((pool) => free.has(pool))
  return isAllFree ? machines : machines.filter((each) => free.has(each.pool) || mayGo(each))
}

/** Both lists as one, without a copy if one has no machines. */
function behind(first: readonly KeptCandidate[], then: readonly KeptCandidate[]): readonly KeptCandidate[] {
  return first.length === 0 ? then : first.concat(then)
}

type LookingFurther = Pick<TriedMoves, 'begun'> & {
  readonly moving: Moving
  readonly named: LookFurther['named']
  readonly relocate: NonNullable<Planner['relocate']>
}

/** `movable`: machines that no rule holds but budgets, in the order of their turns. Empty machines are named in the order of their claims. */
function lookFurther(
  movable: readonly KeptCandidate[],
  { empty: unused, weighed, restless }: ClassifiedCandidates,
  { begun, moving: { snapshot, wave, idle }, named, relocate }: LookingFurther,
): NextWave {
  const isEmpty = ({ pods }: KeptCandidate): boolean => pods.length === 0
  const byClaim = byKey<KeptCandidate>(({ claim }) => claim.name)
  const empty = [...unused.toSorted(byClaim), ...movable.filter(isEmpty).sort(byClaim)]
  return nextWave({
    movable: [...empty, ...movable.filter((each) => !isEmpty(each))],
    restless,
    snapshot,
    wave,
    idle,
    named,
    // A relocation has one plan at a time. The plan of moves that begin now goes on.
    begun,
    consolidatingFor(machines) {
      const relocation = once(() => relocate(machines))
      return consolidatingWith(relocation, totalsByPool(weighed, snapshot), { snapshot, wave, refuse: () => undefined, idle })
    },
  })
}

/** New machines of the pool do not join, for whatever reason, so room given up now could not be had again. */
function pausedReason({ claim, pool }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.FROZEN', `new nodes of nodepool ${pool.name} do not join, so its nodes with pods stay meanwhile`)
}

/** Whether the policy and the calm settings of its pool let a machine with pods go. */
function consolidationRule(snapshot: FleetSnapshot, wakes: EpochMs[], refuse: (reason: Reason) => void): PassRule {
  const leastAgeOf = remembered((pool: NodePool) => calmSetting(pool, 'leastNodeAge', snapshot.settings))
  const isFree = remembered((pool: NodePool) => pool.disruption.consolidationPolicy !== 'WhenEmpty' && leastAgeOf(pool) === 0)
  function mayGo({ claim, pool }: KeptCandidate): boolean {
    const from = laterThan(claim.meta.createdAt, leastAgeOf(pool))
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
  return { isFree, mayGo }
}
