/** Node repair: another machine takes the place of a broken one, and only then the broken one goes. Where a policy asks for it, the node is rebooted. */
import { once } from '../../base/caches.ts'
import { addAll, byKey, byText, inOrder, leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { Action, Decision, Reason, RebootClaim } from '../../model/decision.ts'
import type { RepairCause } from '../../model/disruptionCommand.ts'
import { type EpochMs, epochMs, later } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { withoutAddressesOf } from '../cluster/subnetAddresses.ts'
import { nextEdge } from '../disruption/budgets/budgets.ts'
import { type CandidateWithCost, isGraced, reasonOf, withCosts } from '../disruption/candidates/candidate.ts'
import { podBudgets } from '../disruption/candidates/protection.ts'
import { replaceMachine } from '../disruption/methods/replacing.ts'
import { actionsOf, type Move } from '../disruption/moves/move.ts'
import { extraNodesOf, moveRestsOf } from '../disruption/waves/calmRules.ts'
import { createWave, type Wave } from '../disruption/waves/wave.ts'
import type { Relocation } from '../scheduling/relocation/relocation.ts'
import type { Relocatable } from '../scheduling/relocation/relocationProblem.ts'
import { createReplacing, type Replaced, type Why } from '../staticPools/staticReplacement.ts'
import { type HeldRepair, reportHeldRepairs } from './heldRepairs.ts'
import { endOf, HELD_LOOK, legacyRepair } from './legacyRepair.ts'
import { faultOfMove, isRebooted, rebootOf } from './reboots.ts'
import { createRepairHolds, NO_POOL, poolFinder, type RepairHolds, ruleOf, type SickCandidate } from './repairHolds.ts'
import { conditionOf, createSickMachines, type SickMachine, type SickMachines } from './sickMachines.ts'

export type Repair = {
  /** Machines that end without a move: by the rules of 1.14, or since they are being deleted already. */
  readonly ends: Decision
  /** Moves that begin, and why other broken machines stay. */
  readonly moves: Decision
  /** The claims that the moves take. */
  readonly going: readonly string[]
  /** Names of machines that get pods of the moves. */
  readonly receiving: readonly string[]
  /** True if pods move. Their places are known to no other plan of the same decision. */
  readonly movesPods: boolean
}

/** `ending`: claims that the same decision ends in any case. `others`: what else it does. */
export type Repairing = {
  readonly relocate: (machines: Relocatable) => Relocation
  readonly ending: ReadonlySet<string>
  readonly others: Decision
}

/**
 * Decides which broken machines are repaired. The most urgent ones come first, and one that cannot go does not hold up the others. Waiting pods do not
 * hold repairs.
 */
export function createRepair(): (snapshot: FleetSnapshot, repairing: Repairing) => Repair {
  const sickMachines = createSickMachines()
  return (snapshot, repairing) => {
    const { nodeRepair } = snapshot.settings
    if (nodeRepair === 'off') return NO_REPAIR
    const sick = sickMachines(snapshot)
    if (nodeRepair === 'legacy') return { ...NO_REPAIR, ends: legacyRepair(snapshot, sick) }
    const due = sick.due.filter(({ claim }) => !repairing.ending.has(claim.name))
    if (due.length > 0) return repair(snapshot, { ...sick, due }, repairing)
    return sick.wakeAt === undefined ? NO_REPAIR : { ...NO_REPAIR, moves: { ...NOTHING, wakeAt: sick.wakeAt } }
  }
}

const NOTHING: Decision = { actions: [], reasons: [] }
const NO_REPAIR: Repair = { ends: NOTHING, moves: NOTHING, going: [], receiving: [], movesPods: false }

function repair(snapshot: FleetSnapshot, sick: SickMachines, repairing: Repairing): Repair {
  const budgetsOf = podBudgets(snapshot.objects.podDisruptionBudget)
  const wave = createWave(withoutAddressesOf(snapshot, repairing.others), budgetsOf)
  const holds = createRepairHolds(snapshot, sick, wave, budgetsOf)
  const candidateOf = candidateFinder(snapshot)
  takeEnding(snapshot, repairing, { wave, candidateOf })
  const { held, ends, candidates } = sortDue(sick.due, holds, candidateOf)
  const isInPlace = ({ sick: own }: SickCandidate): boolean => isRebooted(own, snapshot.takenAt)
  const begin = createMoves(snapshot, { sick, repairing, wave, candidates: candidates.filter((each) => !isInPlace(each)) })
  const moves: Move[] = []
  const reboots: RebootClaim[] = []
  for (const each of candidates.sort(MOST_URGENT)) {
    const hold = holds.against(each)
    if (hold === undefined && isInPlace(each)) {
      reboots.push(begin.rebootOf(each))
      holds.begin(each.sick.machine)
      continue
    }
    const tried = hold === undefined ? begin.moveOf(each) : undefined
    if (tried !== undefined && 'move' in tried) {
      moves.push(tried.move)
      holds.begin(each.sick.machine)
    } else held.push({ sick: each.sick, hold: hold ?? ruleOf(tried?.against) ?? NO_POOL })
  }
  const told = reportHeldRepairs(snapshot, held)
  const wakes = [...begin.wakes(), ...(sick.wakeAt === undefined ? [] : [sick.wakeAt]), ...wakesOf(candidates, held, snapshot)]
  return {
    ends: { actions: ends, reasons: [] },
    moves: decisionOf(moves, { reboots, told, wakes, snapshot }),
    going: [...moves.flatMap(({ candidates: own }) => own.map(({ claim }) => claim.name)), ...reboots.map(({ claim }) => claim)],
    receiving: moves.flatMap(({ receivingMachines = [] }) => receivingMachines),
    movesPods: moves.some(({ replacements, receivingMachines }) => replacements.length > 0 || receivingMachines !== undefined),
  }
}

type Due = { readonly held: HeldRepair[]; readonly ends: Action[]; readonly candidates: SickCandidate[] }

/** Tells machines that are being deleted, and those without a pool, from the machines that may be repaired. */
function sortDue(due: readonly SickMachine[], holds: RepairHolds, candidateOf: Weighing['candidateOf']): Due {
  const sorted: Due = { held: [], ends: [], candidates: [] }
  for (const each of due) {
    const candidate = candidateOf(each.machine)
    if (each.claim.meta.deletedAt !== undefined) {
      if (holds.againstBound(each, candidate) === undefined) addAll(sorted.ends, boundOf(each))
    } else if (each.machine.isDeleting) continue
    else if (candidate === undefined) sorted.held.push({ sick: each, hold: NO_POOL })
    else sorted.candidates.push({ sick: each, candidate })
  }
  return sorted
}

const MOST_URGENT = inOrder<SickCandidate>(
  (first, second) => second.sick.repair.score - first.sick.repair.score,
  (first, second) => first.candidate.cost - second.candidate.cost,
  (first, second) => byText(first.sick.node.name, second.sick.node.name),
)

/** Returns a function that weighs a machine of a pool, also one that is not up. Undefined if the machine has no pool. */
function candidateFinder(snapshot: FleetSnapshot): (machine: StateNode) => CandidateWithCost | undefined {
  const [poolOf, weigh] = [poolFinder(snapshot), withCosts(snapshot)]
  return (machine) => {
    const { node, claim } = machine
    const pool = poolOf(machine)
    return node === undefined || claim === undefined || pool === undefined ? undefined : weigh({ machine, node, claim, pool })
  }
}

type Weighing = { readonly wave: Wave; readonly candidateOf: (machine: StateNode) => CandidateWithCost | undefined }

/** Machines that end in any case use up budgets. */
function takeEnding({ fleet }: FleetSnapshot, { ending }: Repairing, { wave, candidateOf }: Weighing): void {
  if (ending.size === 0) return
  for (const machine of fleet.all()) {
    const isEnding = machine.isInitialized && machine.claim !== undefined && ending.has(machine.claim.name)
    const candidate = isEnding ? candidateOf(machine) : undefined
    if (candidate !== undefined) wave.take([candidate])
  }
}

/** Bounds a drain that has no end. Without a bound of the policies it goes on as it is. */
function boundOf(sick: SickMachine): readonly Action[] {
  return sick.repair.terminationGracePeriod === undefined ? [] : endOf(sick, sick.repair.terminationGracePeriod)
}

type Beginning = {
  readonly sick: SickMachines
  readonly repairing: Repairing
  readonly wave: Wave
  readonly candidates: readonly SickCandidate[]
}

/** Returns a function that makes the move of a machine that nothing holds. */
function createMoves(snapshot: FleetSnapshot, { sick, repairing, wave, candidates }: Beginning) {
  const { disruptionResumesAt, takenAt } = snapshot
  const relocation = once(() => repairing.relocate(relocatable(snapshot, { sick, repairing, candidates })))
  const replaceStatic = createReplacing(snapshot, repairing.others, wave)
  const waves = { ...wave, tooMany: afterWaiting(snapshot, repairing.others, wave) }
  const waits = new Set<EpochMs>()

  function begun(move: Move): Replaced {
    wave.take(
      move.candidates.filter(({ machine }) => machine.isInitialized),
      move,
    )
    return { move }
  }

  function ofDynamic(candidate: CandidateWithCost, why: Why): Replaced {
    if (candidate.pods.length === 0) return begun({ ...why, candidates: [candidate], replacements: [], saving: candidate.choice?.price })
    if (disruptionResumesAt !== undefined && takenAt < disruptionResumesAt) {
      waits.add(disruptionResumesAt)
      return { against: reasonOf(candidate.claim, 'DISRUPTION.PENDING', 'moves of pods begin a moment after the last ones') }
    }
    const refused: Reason[] = []
    const isBounded = why.repair?.terminationGracePeriod !== undefined || isGraced(candidate)
    const move = replaceMachine({ candidate, ...why, isBounded }, relocation(), waves, (reason) => void refused.push(reason))
    if (move !== undefined) return begun(move)
    return { against: refused[0] ?? reasonOf(candidate.claim, 'DISRUPTION.NO_ROOM', 'its pods have no other place') }
  }

  return {
    wakes: (): readonly EpochMs[] => [...waits],
    rebootOf(each: SickCandidate): RebootClaim {
      if (each.sick.machine.isInitialized) wave.take([each.candidate])
      return rebootOf(each)
    },
    moveOf({ sick: own, candidate }: SickCandidate): Replaced {
      const { terminationGracePeriod } = own.repair
      const cause: RepairCause = defined({ condition: conditionOf(own.repair), terminationGracePeriod })
      const why: Why = { reason: 'Unhealthy', repair: { ...cause, fault: faultOfMove(own, takenAt) } }
      return candidate.pool.replicas === undefined ? ofDynamic(candidate, why) : replaceStatic(candidate, why)
    },
  }
}

/** The limits of a pool do not count the machines that the same decision makes for waiting pods. So those come first where there is a limit. */
function afterWaiting({ objects }: FleetSnapshot, { actions }: Decision, wave: Wave): Wave['tooMany'] {
  const growing = new Set<string>(actions.flatMap((action) => (action.kind === 'createClaim' ? [action.draft.nodePool] : [])))
  const limited = new Set<string>(objects.nodePool.filter(({ limits }) => Object.keys(limits).length > 0).map(({ name }) => name))
  return (move) => {
    const first = (move.replacements ?? []).find(({ draft }) => growing.has(draft.nodePool) && limited.has(draft.nodePool))
    const [candidate] = move.candidates
    if (first === undefined || candidate === undefined) return wave.tooMany(move)
    const message = `nodepool ${first.draft.nodePool} has limits, so its nodes for pending pods come before a replacement`
    return reasonOf(candidate.claim, 'DISRUPTION.PENDING', message)
  }
}

/** Pods go to machines that are up and healthy: first to machines with pods, then to empty ones. */
function relocatable({ fleet }: FleetSnapshot, { sick, repairing, candidates }: Omit<Beginning, 'wave'>): Relocatable {
  const isPlace = (machine: StateNode): boolean =>
    machine.node !== undefined && machine.isInitialized && !machine.isDeleting && !sick.isSick(machine) && !isEndingBy(repairing, machine)
  const places = [...fleet.all()].filter(isPlace).sort(byKey(({ name }) => name))
  const empty = new Set(fleet.empty())
  return {
    machines: candidates.map(({ sick: { machine } }) => machine).sort(byKey(({ name }) => name)),
    withHeldPods: [],
    places: [...places.filter((each) => !empty.has(each)), ...places.filter((each) => empty.has(each))],
  }
}

function isEndingBy({ ending }: Repairing, { claim }: StateNode): boolean {
  return claim !== undefined && ending.has(claim.name)
}

function wakesOf(candidates: readonly SickCandidate[], held: readonly HeldRepair[], { takenAt }: FleetSnapshot): readonly EpochMs[] {
  if (held.length === 0) return []
  const pools = new Set(candidates.map(({ candidate: { pool } }) => pool))
  return [later(takenAt, HELD_LOOK), ...[...pools].flatMap((pool) => nextEdge(pool, takenAt) ?? [])]
}

type Deciding = {
  readonly reboots: readonly RebootClaim[]
  readonly told: Pick<Decision, 'actions' | 'reasons'>
  readonly wakes: readonly EpochMs[]
  readonly snapshot: FleetSnapshot
}

function decisionOf(moves: readonly Move[], { reboots, told, wakes, snapshot }: Deciding): Decision {
  const [rests, extra] = [moveRestsOf(moves, snapshot), extraNodesOf(moves, snapshot)]
  return {
    actions: [...actionsOf(moves, snapshot), ...reboots, ...told.actions],
    reasons: told.reasons,
    ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }),
    ...(rests.length === 0 ? {} : { moveRests: rests }),
    ...(extra.length === 0 ? {} : { extraNodes: extra }),
  }
}
