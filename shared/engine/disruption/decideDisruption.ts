import { addAll, leastOf } from '../../base/lists.ts'
import { byKey, byText } from '../../base/order.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import type { Relocatable } from '../scheduling/relocation/relocationProblem.ts'
import { type Totals, totalsOf } from './balance.ts'
import { tellBrokenTimeouts } from './brokenTimeouts.ts'
import { nextEdge } from './budgets.ts'
import { oldEnoughAt } from './calm.ts'
import { bySavingsRatio, quietAt, reasonOf, type Weighed } from './candidate.ts'
import { consolidate } from './consolidation.ts'
import { isDrifted, replaceDrifted } from './drift.ts'
import { endEmpty } from './emptiness.ts'
import { isGraced, judgeAll, once, type Planner } from './judgeAll.ts'
import { mergeMachines } from './merging.ts'
import { actionsOf, type Move } from './move.ts'
import { podBudgets } from './podBudgets.ts'
import { createWave, type Wave } from './wave.ts'

/**
 * Which machines to take away now, as many at once as budgets let go: empty machines, drifted machines, then machines whose pods fit
 * elsewhere or on something cheaper. Every machine that may go and does not has its reason. Before `movesFrom` empty machines alone are looked at.
 */
export function decideDisruption(sight: Sight, planner: Planner): Decision {
  const { movesFrom } = sight
  if (movesFrom === undefined || sight.takenAt >= movesFrom) return disrupt(sight, planner, sight.fleet.all())
  const few = fewOf(sight, planner.ending)
  const { wakeAt, ...decided } = disrupt(sight, { ...planner, relocate: undefined }, few)
  const wakes = [...(wakeAt === undefined ? [] : [wakeAt]), ...(hasOthers(sight, few) ? [movesFrom] : [])]
  return { ...decided, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

/** Empty machines, and machines that end in any case and count for budgets. */
function fewOf({ fleet }: Sight, ending: ReadonlySet<string>): ReadonlySet<StateNode> {
  const ends = ending.size === 0 ? [] : [...fleet.all()].filter(({ claim }) => claim !== undefined && ending.has(claim.name))
  return new Set([...fleet.empty(), ...ends])
}

/** Machines with a claim that are to be judged later. */
function hasOthers({ fleet }: Sight, few: ReadonlySet<StateNode>): boolean {
  for (const machine of fleet.all()) if (machine.claim !== undefined && !few.has(machine)) return true
  return false
}

function disrupt(sight: Sight, planner: Planner, machines: Iterable<StateNode>): Decision {
  const judged = judgeAll(sight, planner, machines)
  const budgetsOf = podBudgets(sight.objects.podDisruptionBudget)
  const wave = createWave(sight, budgetsOf)
  for (const each of judged.weighed) if (planner.ending.has(each.claim.name)) wave.take([each])
  const reasons: Reason[] = [...judged.reasons]
  const refuse = (reason: Reason): void => void reasons.push(reason)
  const young: EpochMs[] = []
  const moves: Move[] = [...endEmpty(judged.quiet, wave, refuse)]
  const stays = ({ machine }: Weighed): boolean => !wave.hasTaken(machine)
  const [drifted, busy] = [judged.drifted.filter(stays), judged.quiet.filter((each) => each.pods.length > 0 && !isDrifted(each))]
  if (planner.relocate === undefined) {
    for (const { claim } of [...drifted, ...busy])
      refuse(reasonOf(claim, 'DISRUPTION.PENDING', 'places are found for pods that wait; its pods stay meanwhile'))
  } else {
    const { relocate } = planner
    const relocation = once(() => relocate(relocatable([...drifted, ...busy], judged.weighed, sight, wave)))
    for (const move of replaceDrifted(drifted, relocation, wave, refuse)) moves.push(move)
    const mayMove = busy.filter(mayConsolidate(sight, young, refuse))
    const consolidating = { relocation, wave, totals: totalsByPool(judged.weighed, sight), settings: sight.settings, refuse }
    addAll(moves, consolidate(mayMove, consolidating))
    addAll(moves, mergeMachines(mayMove.filter(stays), consolidating))
  }
  const actions = [...tellBrokenTimeouts(sight.objects.nodePool), ...actionsOf(moves, sight)]
  const moved = new Set<string>(moves.flatMap(({ candidates }) => candidates.map(({ claim }) => claim.name)))
  const sorted = onePerClaim(reasons.filter(({ subject }) => !moved.has(subject.name)))
  const wakes = [...judged.wakes, ...young, ...edgesOf(judged.weighed, sight)]
  return { actions, reasons: sorted, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

/** The policy of the pool lets machines with pods go. */
function mayConsolidate(sight: Sight, wakes: EpochMs[], refuse: (reason: Reason) => void): (candidate: Weighed) => boolean {
  return (candidate) => {
    const { claim, pool } = candidate
    const from = oldEnoughAt(candidate, sight.settings)
    if (pool.disruption.consolidationPolicy !== 'WhenEmpty') {
      if (from <= sight.takenAt) return true
      wakes.push(from)
      const seconds = Math.ceil((from - sight.takenAt) / 1000)
      refuse(reasonOf(claim, 'DISRUPTION.CALM', `its node is too young to be consolidated; ${seconds} s are left`, { seconds }))
      return false
    }
    refuse(reasonOf(claim, 'DISRUPTION.POLICY', `nodepool ${pool.name} takes empty nodes alone (consolidationPolicy: WhenEmpty)`))
    return false
  }
}

/** Pods go first to machines that stay in any case, last to those that would be the next to go. */
function relocatable(machines: readonly Weighed[], weighed: readonly Weighed[], sight: Sight, wave: Wave): Relocatable {
  const candidates = new Set(machines.map(({ machine }) => machine))
  const known = new Map<StateNode, Weighed>(weighed.map((each) => [each.machine, each]))
  const mayTake = (machine: StateNode): boolean => !wave.hasTaken(machine) && mayTakePods(machine, known.get(machine), sight)
  const staying = [...sight.fleet.all()].filter((machine) => !candidates.has(machine) && mayTake(machine)).sort(byKey(({ name }) => name))
  const others = machines.filter(({ machine }) => mayTake(machine)).sort((first, second) => bySavingsRatio(second, first))
  const withHeldPods = machines.filter((each) => isDrifted(each) && isGraced(each)).map(({ machine }) => machine)
  return { machines: machines.map(({ machine }) => machine), withHeldPods, places: [...staying, ...others.map(({ machine }) => machine)] }
}

/** Up, staying, and not waiting to be quiet: a pod that comes begins that time anew. */
function mayTakePods(machine: StateNode, known: Weighed | undefined, { takenAt }: Sight): boolean {
  if (machine.node === undefined || !machine.isInitialized || machine.isDeleting) return false
  if (known === undefined || known.pool.disruption.consolidateAfter === 'Never') return true
  return (quietAt(known) ?? takenAt) <= takenAt
}

function totalsByPool(weighed: readonly Weighed[], { fleet }: Sight): (pool: NodePool) => Totals {
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

function edgesOf(weighed: readonly Weighed[], { takenAt }: Sight): readonly EpochMs[] {
  return [...new Set(weighed.map(({ pool }) => pool))].flatMap((pool) => nextEdge(pool, takenAt) ?? [])
}

/** Of several reasons against one machine the first. */
function onePerClaim(reasons: readonly Reason[]): readonly Reason[] {
  const first = new Map<string, Reason>()
  for (const reason of reasons) if (!first.has(reason.subject.name)) first.set(reason.subject.name, reason)
  return [...first.values()].sort((one, other) => byText(one.subject.name, other.subject.name))
}
