/**
 * Replaces machines of static pools one for one: another machine comes before the machine goes, as far as `limits.nodes` has room for both. In a pool
 * without room, a machine goes first if the settings let it.
 */
import type { TerminateFirstFor } from '../../model/clusterSnapshot.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { type CandidateWithCost, reasonOf, savingOf } from '../disruption/candidates/candidate.ts'
import type { Move } from '../disruption/moves/move.ts'
import type { Wave } from '../disruption/waves/wave.ts'
import { overlaidTypes, type TypesOf } from '../overlay/overlaidTypes.ts'
import { claimNames } from '../scheduling/decision/claimForm.ts'
import { poolRefusal } from '../scheduling/model/catalog/pools.ts'
import { claimRefusalOf, claimsOf, isKept, isNameTaken, membersOf, type StaticPool } from './staticClaims.ts'
import { terminatesFirst, whyNotFirst } from './terminateFirst.ts'

/** The move of a machine, or why it is not made. */
export type Replaced = { readonly move: Move } | { readonly against: Reason }

export type Why = { readonly reason: TerminateFirstFor } & Pick<Move, 'repair'>

export type Replacing = (candidate: CandidateWithCost, why: Why) => Replaced

/**
 * Returns a function that makes the move of a candidate. Each move takes from the room and from the budget of its pool. A pool with more machines than
 * `spec.replicas` gives up the surplus first. `others`: what else the same decision does.
 */
export function createReplacing(
  snapshot: FleetSnapshot,
  others: Decision,
  wave: Pick<Wave, 'overBudget' | 'refusal' | 'tooMany' | 'take'>,
): Replacing {
  const typesOf = overlaidTypes(snapshot)
  const nameOf = claimNames(snapshot, (name) => isNameTaken(snapshot, others, name))
  const rooms = new Map<string, Room>()
  let made = 0

  function roomOf(pool: StaticPool): Room {
    const known = rooms.get(pool.name) ?? measure(pool, snapshot, others)
    rooms.set(pool.name, known)
    return known
  }

  function blockedBy(candidate: CandidateWithCost, pool: StaticPool, reason: TerminateFirstFor): Reason | undefined {
    const { left, surplus } = roomOf(pool)
    if (surplus > 0) return tooMany(candidate, pool)
    const full = (): Reason | undefined => (left > 0 ? undefined : whyNotFirst(candidate, { pool, reason }, snapshot))
    return refusedBy(wave, candidate, reason) ?? full() ?? poolProblem(candidate, pool, snapshot, typesOf)
  }

  return (candidate, why) => {
    const { claim, pool } = candidate
    if (!isKept(pool)) return { against: reasonOf(claim, 'DISRUPTION.NO_ROOM', `nodepool ${pool.name} is not kept at a number of nodes`) }
    const room = roomOf(pool)
    const isFull = room.left <= 0
    const blocked = blockedBy(candidate, pool, why.reason)
    if (blocked !== undefined) return { against: blocked }
    const types = typesOf(pool.name, pool.template.nodeClassRef.name)
    const [replacement] = claimsOf(pool, { count: 1, types, nextName: () => nameOf(pool.name, made++) }, snapshot)
    if (replacement === undefined)
      return { against: reasonOf(claim, 'DISRUPTION.NO_ROOM', `nodepool ${pool.name} can create no replacement now`) }
    const move: Move = isFull
      ? { ...why, candidates: [candidate], replacements: [], saving: undefined, terminatesFirst: terminatesFirst(pool) }
      : { ...why, candidates: [candidate], replacements: [replacement], saving: savingOf([candidate], [replacement]) }
    const tooManyMoves = wave.tooMany(move)
    if (tooManyMoves !== undefined) return { against: tooManyMoves }
    if (!isFull) room.left--
    if (candidate.machine.isInitialized) wave.take([candidate], move)
    return { move }
  }
}

type Room = {
  /** The number of machines that the limit still allows the pool. */
  left: number
  /** The number of machines above `spec.replicas`. */
  readonly surplus: number
}

function measure(pool: StaticPool, snapshot: FleetSnapshot, { actions }: Decision): Room {
  const members = membersOf(pool, snapshot)
  const coming = actions.filter((action) => action.kind === 'createClaim' && action.draft.nodePool === pool.name).length
  const limit = pool.limits['nodes'] ?? Number.POSITIVE_INFINITY
  return {
    left: limit - members.length - coming,
    surplus: members.filter(({ stage }) => stage === 'active').length - pool.replicas,
  }
}

/** Budgets of pods do not matter to the repair of a machine, and no budget matters to that of one that is not up. */
function refusedBy(
  wave: Pick<Wave, 'overBudget' | 'refusal'>,
  candidate: CandidateWithCost,
  reason: TerminateFirstFor,
): Reason | undefined {
  if (reason !== 'Unhealthy') return wave.refusal([candidate], reason)
  return candidate.machine.isInitialized ? wave.overBudget([candidate], reason) : undefined
}

function tooMany({ claim }: CandidateWithCost, { name, replicas }: StaticPool): Reason {
  return reasonOf(
    claim,
    'DISRUPTION.PENDING',
    `nodepool ${name} has more nodes than its spec.replicas (${replicas}); surplus nodes are removed first`,
  )
}

function poolProblem({ claim }: CandidateWithCost, pool: StaticPool, snapshot: FleetSnapshot, typesOf: TypesOf): Reason | undefined {
  const types = typesOf(pool.name, pool.template.nodeClassRef.name)
  const refusal = poolRefusal(pool, snapshot.objects, types) ?? claimRefusalOf(pool, snapshot)?.reason
  return refusal && reasonOf(claim, 'DISRUPTION.NO_ROOM', `no replacement can be created: ${refusal.message}`)
}
