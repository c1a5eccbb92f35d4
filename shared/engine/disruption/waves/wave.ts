/** Moves that may begin together. They share the budgets of pools and of pods, and none of them takes a machine that gets pods of another move. */
import { remembered } from '../../../base/caches.ts'
import { largestOf, markOfMap, markOfSet } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import type { DisruptionReason, NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { createAddresses } from '../../cluster/subnetAddresses.ts'
import { isEvictable } from '../../pod/podPredicates.ts'
import { type Allowance, allowanceOf, findingAboutBudget } from '../budgets/budgets.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { type BudgetsOf } from '../candidates/protection.ts'
import type { Move, MoveRule, ProposedMove } from '../moves/move.ts'
import { extraNodesRule, hourlyMoves, restAfterMoves } from './calmRules.ts'

export interface Wave {
  /** Why budgets of the pools, or other moves, do not let the machines go. Undefined if they do. */
  overBudget(machines: readonly CandidateWithCost[], reason: DisruptionReason): Reason | undefined
  /** Reports whether budgets of the pool and calm settings hold none of its machines now, as long as nothing more is taken. */
  holdsNone(pool: NodePool, reason: DisruptionReason): boolean
  /** Why the machines may not go now. Undefined if all of them may. */
  refusal(machines: readonly CandidateWithCost[], reason: DisruptionReason): Reason | undefined
  /** A PodDisruptionBudget that does not let all pods of the machine go together. */
  heldBackBy(machine: CandidateWithCost): PodDisruptionBudget | undefined
  /** Reports whether only a budget of its pool holds the machine, which lets it go once other machines have gone. */
  waits(machine: CandidateWithCost, reason: DisruptionReason): boolean
  /** Reports whether machines of the pool may wait so. */
  mayWait(pool: NodePool): boolean
  /** How many more machines of the pool its budgets let go for this reason. */
  left(pool: NodePool, reason: DisruptionReason): number
  /** Why calm settings or the addresses of a subnet do not let the planned move begin, although its machines may go. Undefined if they do. */
  tooMany(move: Pick<Move, 'candidates' | 'reason' | 'replacements'>): Reason | undefined
  /** Records that the machines go. `move`: the move that takes them. Undefined if they end in any case. */
  take(machines: readonly CandidateWithCost[], move?: Pick<Move, 'reason' | 'replacements'>): void
  /** Records machines that get pods of other machines. They must stay. */
  fill(names: Iterable<string>): void
  hasTaken(machine: StateNode): boolean
  /** Reports whether the machine gets pods of other machines. */
  receives(machine: Pick<StateNode, 'name'>): boolean
  /** The times from which calm settings let more machines go. */
  wakes(): readonly EpochMs[]
  /** Returns a function that takes back all that is taken and filled after this call. */
  mark(): () => void
}

export function createWave(snapshot: FleetSnapshot, budgetsOf: BudgetsOf): Wave {
  const taken = new Map<NodePool, number>()
  const gone = new Set<string>()
  const filled = new Set<string>()
  const held = new Map<string, number>()
  const rules: readonly MoveRule[] = [hourlyMoves(snapshot), restAfterMoves(snapshot), extraNodesRule(snapshot), addressesRule(snapshot)]
  const guards = podGuards(guardFinder(snapshot, budgetsOf))
  const budgets = poolBudgets(snapshot, taken)

  function overBudget(machines: readonly CandidateWithCost[], reason: DisruptionReason): Reason | undefined {
    return budgets.over(machines, reason) ?? refusedBy(rules, { candidates: machines, reason })
  }

  return {
    overBudget,
    left: budgets.left,
    holdsNone: (pool, reason) => budgets.left(pool, reason) >= 1 && rules.every((rule) => rule.holdsNone?.(pool, reason) !== false),
    refusal(machines, reason) {
      const over = overBudget(machines, reason)
      if (over !== undefined) return over
      const busy = machines.find(({ machine }) => filled.has(machine.name))
      if (busy !== undefined) return reasonOf(busy.claim, 'DISRUPTION.WAVE', 'it receives pods of nodes that are disrupted now')
      return guards.shared(machines, held)
    },
    heldBackBy: guards.heldBackBy,
    waits: (machine, reason) => budgets.isUsedUp(machine.pool, reason) && refusedBy(rules, { candidates: [machine], reason }) === undefined,
    mayWait: (pool) => DISRUPTION_REASONS.some((reason) => budgets.isUsedUp(pool, reason)),
    tooMany: ({ candidates, reason, replacements }) => refusedBy(rules, { candidates, reason, replacements }),
    take(machines, move) {
      if (move !== undefined) for (const rule of rules) rule.begin({ candidates: machines, ...move })
      for (const each of machines) {
        taken.set(each.pool, (taken.get(each.pool) ?? 0) + 1)
        gone.add(each.machine.name)
        for (const [{ key }, pods] of guards.of(each)) held.set(key, (held.get(key) ?? 0) + pods)
      }
    },
    fill(names) {
      for (const name of names) filled.add(name)
    },
    hasTaken: ({ name }) => gone.size > 0 && gone.has(name),
    receives: ({ name }) => filled.has(name),
    wakes: () => rules.flatMap((rule) => rule.wakes()),
    mark: () => inOne([...rules.map((rule) => rule.mark()), markOfMap(taken), markOfMap(held), markOfSet(gone), markOfSet(filled)]),
  }
}

const DISRUPTION_REASONS: readonly DisruptionReason[] = ['Empty', 'Underutilized', 'Drifted']

function inOne(undos: readonly (() => void)[]): () => void {
  return () => undos.forEach((undo) => undo())
}

function refusedBy(rules: readonly MoveRule[], move: ProposedMove): Reason | undefined {
  for (const rule of rules) {
    const refused = rule.refusal(move)
    if (refused !== undefined) return refused
  }
  return undefined
}

type PoolBudgets = Pick<Wave, 'left'> & {
  readonly over: Wave['overBudget']
  /** Reports whether moves, or machines that are not ready, use up what the budget allows. Nothing uses up a budget that allows nothing. */
  readonly isUsedUp: (pool: NodePool, reason: DisruptionReason) => boolean
}

/** What budgets of the pools let go, beside the machines that are taken. */
function poolBudgets(snapshot: FleetSnapshot, taken: ReadonlyMap<NodePool, number>): PoolBudgets {
  const allowance = allowanceFinder(snapshot)

  function overOne(first: CandidateWithCost, count: number, reason: DisruptionReason): Reason | undefined {
    const binding = allowance(first.pool, reason)
    if (binding === undefined || (taken.get(first.pool) ?? 0) + count <= binding.remaining) return undefined
    return budgetReason(first, reason, binding)
  }

  return {
    left: (pool, reason) => (allowance(pool, reason)?.remaining ?? Number.POSITIVE_INFINITY) - (taken.get(pool) ?? 0),
    isUsedUp(pool, reason) {
      const binding = allowance(pool, reason)
      return binding !== undefined && binding.most > 0 && (taken.get(pool) ?? 0) >= binding.remaining
    },
    over(machines, reason) {
      const [only] = machines
      // Every candidate of a decision is asked alone.
      if (only !== undefined && machines.length === 1) return overOne(only, 1, reason)
      for (const [first, ...others] of Map.groupBy(machines, (each) => each.pool).values()) {
        const over = first === undefined ? undefined : overOne(first, 1 + others.length, reason)
        if (over !== undefined) return over
      }
      return undefined
    },
  }
}

function allowanceFinder(snapshot: FleetSnapshot): (pool: NodePool, reason: DisruptionReason) => Allowance | undefined {
  const known = new Map<NodePool, Map<DisruptionReason, Allowance | undefined>>()
  return (pool, reason) => {
    const ofPool = known.get(pool) ?? new Map<DisruptionReason, Allowance | undefined>()
    known.set(pool, ofPool)
    if (!ofPool.has(reason)) ofPool.set(reason, allowanceOf(pool, reason, snapshot))
    return ofPool.get(reason)
  }
}

type Guards = ReadonlyMap<PodDisruptionBudget, number>

/** Returns a function that counts the pods of each budget that a drain of the machine evicts. */
function guardFinder({ takenAt }: FleetSnapshot, budgetsOf: BudgetsOf): (machine: CandidateWithCost) => Guards {
  const guards = remembered(({ pods }: StateNode): Guards => {
    const own = new Map<PodDisruptionBudget, number>()
    for (const pod of pods) {
      const budgets = pod.phase === 'Running' ? budgetsOf(pod) : NO_BUDGETS
      if (budgets.length === 0 || !isEvictable(pod, takenAt)) continue
      for (const budget of budgets) own.set(budget, (own.get(budget) ?? 0) + 1)
    }
    return own
  })
  return ({ machine }) => guards(machine)
}

/** What PodDisruptionBudgets say about machines that go. */
function podGuards(guarding: (machine: CandidateWithCost) => Guards) {
  return {
    of: guarding,
    heldBackBy: (machine: CandidateWithCost): PodDisruptionBudget | undefined =>
      [...guarding(machine)].find(([{ disruptionsAllowed }, pods]) => pods > disruptionsAllowed)?.[0],
    /**
     * Finds a PodDisruptionBudget that other machines use up: machines of moves before, or of the same move. `held`: its pods on those of moves before. One
     * machine may hold more pods of a budget than may be away at once, since a drain evicts them one after another. Two machines may not.
     */
    shared(machines: readonly CandidateWithCost[], held: ReadonlyMap<string, number>): Reason | undefined {
      const podsOf = new Map<PodDisruptionBudget, number[]>()
      for (const each of machines) {
        for (const [budget, pods] of guarding(each)) {
          const own = podsOf.get(budget)
          if (own === undefined) podsOf.set(budget, [pods])
          else own.push(pods)
        }
      }
      for (const [budget, counts] of podsOf) {
        const { key, disruptionsAllowed } = budget
        const others = (held.get(key) ?? 0) + counts.reduce((sum, count) => sum + count, 0) - largestOf(counts)
        const first = machines.find((each) => guarding(each).has(budget))
        if (first === undefined || others === 0 || others < disruptionsAllowed) continue
        const message = `pod disruption budget ${key} is used up by moves of the same decision (disruptionsAllowed: ${disruptionsAllowed})`
        return reasonOf(first.claim, 'DISRUPTION.PDB', message)
      }
      return undefined
    },
  }
}

function budgetReason({ claim, pool }: CandidateWithCost, reason: DisruptionReason, { budget }: Allowance): Reason {
  const { nodes, schedule, reasons } = budget
  const unreadable = findingAboutBudget(budget)
  if (unreadable !== undefined) {
    const held = reasons === undefined ? 'all voluntary moves' : `moves for ${reasons.join(', ')}`
    const which = schedule === undefined ? '' : ` with schedule ${schedule}`
    const message = `a budget of nodepool ${pool.name}${which} cannot be read (${unreadable}); ${held} of the nodepool wait until spec.disruption.budgets is corrected`
    return reasonOf(claim, 'DISRUPTION.BUDGET', message)
  }
  if (schedule === undefined) {
    return reasonOf(
      claim,
      'DISRUPTION.BUDGET',
      `the budget of nodepool ${pool.name} allows no more disruptions for reason ${reason} (nodes: ${nodes})`,
    )
  }
  const message = `the budget of nodepool ${pool.name} with schedule ${schedule} allows no more disruptions for reason ${reason} (nodes: ${nodes})`
  return reasonOf(claim, 'DISRUPTION.WINDOW', message)
}

const NO_BUDGETS: readonly PodDisruptionBudget[] = []

/** The limit on replacements by the free addresses of their subnets: for a while, both machines of a replacement are there. */
function addressesRule({ subnetRooms }: FleetSnapshot): MoveRule {
  const addresses = createAddresses(subnetRooms)
  return {
    refusal({ candidates: [first], replacements = [] }) {
      const subnet = addresses.fullFor(replacements.map(({ draft }) => draft))
      if (subnet === undefined || first === undefined) return undefined
      const message = `subnet ${subnet} has no address left for the nodes that the move makes before its own nodes go (${replacements.length}); use a larger subnet, or let nodes end`
      return reasonOf(first.claim, 'AZURE.SUBNET_FULL', message, { needed: replacements.length })
    },
    begin: ({ replacements = [] }) => addresses.take(replacements.map(({ draft }) => draft)),
    // Addresses become free with machines that go, and each is a change of the cluster. Others are seen at the next look at the subnet.
    wakes: () => [],
    mark: addresses.mark,
  }
}
