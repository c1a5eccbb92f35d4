/** Drift of static pools: each machine that is no longer what its pool asks for goes once another machine has come in its place. */
import { once } from '../../base/caches.ts'
import { byKey, byText, inOrder } from '../../base/lists.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { withoutAddressesOf } from '../cluster/subnetAddresses.ts'
import { nextEdge } from '../disruption/budgets/budgets.ts'
import { type CandidateWithCost, candidatesIn, isGraced, reasonOf, savingOf, withCosts } from '../disruption/candidates/candidate.ts'
import { ofPodsAlone, podBudgets, promisedClaims, protectionEnds, protectionOf } from '../disruption/candidates/protection.ts'
import { restMessage, restsOf } from '../disruption/commands/moveRests.ts'
import { driftedSince, isDrifted } from '../disruption/methods/drift.ts'
import { actionsOf, type Move } from '../disruption/moves/move.ts'
import { driftBrakes, type Planner } from '../disruption/verdicts/verdicts.ts'
import { forbiddenIn, frozenBy } from '../disruption/waves/calm.ts'
import { createWave, type Wave } from '../disruption/waves/wave.ts'
import { overlaidTypes, type TypesOf } from '../overlay/overlaidTypes.ts'
import { claimNames } from '../scheduling/decision/claimForm.ts'
import { poolRefusal } from '../scheduling/model/catalog/pools.ts'
import { claimRefusalOf, claimsOf, isKept, isNameTaken, membersOf, type StaticPool } from './staticClaims.ts'
import { terminatesFirst, whyNotFirst } from './terminateFirst.ts'

/** `others`: what else the same decision does. Its claims count, and a machine that it ends is no candidate. */
export type StaticDrift = Pick<Planner, 'expecting' | 'ending'> & { readonly others: Decision }

/**
 * Replaces drifted machines. Another machine comes before a drifted machine goes, so a pool needs room under `limits.nodes` for its drift. As many go
 * at once as budgets of the pool and this room allow. A pool with more machines than `spec.replicas` gives up the surplus first. The pods of a
 * machine do not matter to its replacement. In a pool without room, a machine goes first if the settings let it.
 */
export function decideStaticDrift(snapshot: FleetSnapshot, drift: StaticDrift): Decision {
  const pools = snapshot.objects.nodePool.filter(isKept)
  const machines = pools.flatMap(({ name }) => [...snapshot.fleet.of(name)])
  const weighed = candidatesIn(machines, snapshot, isKept).map(withCosts(snapshot))
  const drifted = weighed.filter((each) => isDrifted(each) && !drift.ending.has(each.claim.name))
  if (drifted.length === 0) return NOTHING
  if (snapshot.disruptionResumesAt !== undefined && snapshot.takenAt < snapshot.disruptionResumesAt)
    return { ...NOTHING, wakeAt: snapshot.disruptionResumesAt }
  const wave = createWave(withoutAddressesOf(snapshot, drift.others), podBudgets(snapshot.objects.podDisruptionBudget))
  wave.take(weighed.filter(({ claim }) => drift.ending.has(claim.name)))
  const reasons: Reason[] = []
  const refuse = (reason: Reason): void => void reasons.push(reason)
  const replacing = createReplacing(snapshot, drift, wave)
  const mayGo = drifted.sort(driftOrder).filter(unprotected(snapshot, drift, refuse))
  const moves = mayGo.flatMap((candidate) => replacing(candidate, refuse) ?? [])
  const begun = drift.others.actions.filter(({ kind }) => kind === 'startCommand').length
  const edges = [...new Set(drifted.map(({ pool }) => pool))].flatMap((pool) => nextEdge(pool, snapshot.takenAt) ?? [])
  const going = new Set(mayGo)
  const ends = drifted.flatMap((each) => (going.has(each) ? [] : (protectionEnds(each, snapshot.takenAt) ?? [])))
  const sorted = reasons.sort(byKey(({ subject }) => subject.name))
  return { actions: actionsOf(moves, snapshot, begun), reasons: sorted, ...wakeOf([...edges, ...ends]) }
}

const NOTHING: Decision = { actions: [], reasons: [] }

const driftOrder = inOrder<CandidateWithCost>(
  (first, second) => driftedSince(first) - driftedSince(second),
  (first, second) => byText(first.claim.name, second.claim.name),
)

function wakeOf(edges: readonly EpochMs[]): Pick<Decision, 'wakeAt'> {
  const [wakeAt] = edges.toSorted((first, second) => first - second)
  return wakeAt === undefined ? {} : { wakeAt }
}

function unprotected(
  snapshot: FleetSnapshot,
  { expecting }: StaticDrift,
  refuse: (reason: Reason) => void,
): (candidate: CandidateWithCost) => boolean {
  const input = {
    snapshot,
    expected: once(ofPodsAlone(expecting)),
    promised: promisedClaims(snapshot),
    budgetsOf: podBudgets(snapshot.objects.podDisruptionBudget),
  }
  const forbidden = forbiddenIn(snapshot)
  const brakeOf = driftBrakes(snapshot)
  return (candidate) => {
    const held = frozenBy(candidate, snapshot, forbidden) ?? brakeOf(candidate) ?? restReason(candidate, snapshot)
    const reason = held ?? protectionOf(candidate, input, isGraced(candidate))
    if (reason !== undefined) refuse(reason)
    return reason === undefined
  }
}

/** Why the machine rests. A machine without pods rests too: what failed was the machine in its place. */
function restReason({ claim }: CandidateWithCost, { backOffs, takenAt }: FleetSnapshot): Reason | undefined {
  const rests = restsOf(claim, backOffs, takenAt)
  return rests.length === 0 ? undefined : reasonOf(claim, 'DISRUPTION.RESTING', restMessage(rests))
}

/** Returns a function that makes the move of a candidate. Each move takes from the room and from the budget of its pool. */
function createReplacing(snapshot: FleetSnapshot, { others }: StaticDrift, wave: Wave) {
  const typesOf = overlaidTypes(snapshot)
  const nameOf = claimNames(snapshot, (name) => isNameTaken(snapshot, others, name))
  const rooms = new Map<string, Room>()
  let made = 0

  function roomOf(pool: StaticPool): Room {
    const known = rooms.get(pool.name) ?? measure(pool, snapshot, others)
    rooms.set(pool.name, known)
    return known
  }

  function blockedBy(candidate: CandidateWithCost, pool: StaticPool, { left, surplus }: Room): Reason | undefined {
    if (surplus > 0) return tooMany(candidate, pool)
    const full = (): Reason | undefined => (left > 0 ? undefined : whyNotFirst(candidate, { pool, reason: 'Drifted' }, snapshot))
    return wave.refusal([candidate], 'Drifted') ?? full() ?? poolProblem(candidate, pool, snapshot, typesOf)
  }

  return (candidate: CandidateWithCost, refuse: (reason: Reason) => void): Move | undefined => {
    const { claim, pool } = candidate
    if (!isKept(pool)) return undefined
    const room = roomOf(pool)
    const isFull = room.left <= 0
    const blocked = blockedBy(candidate, pool, room)
    if (blocked !== undefined) {
      refuse(blocked)
      return undefined
    }
    const types = typesOf(pool.name, pool.template.nodeClassRef.name)
    const [replacement] = claimsOf(pool, { count: 1, types, nextName: () => nameOf(pool.name, made++) }, snapshot)
    if (replacement === undefined) {
      refuse(reasonOf(claim, 'DISRUPTION.NO_ROOM', `nodepool ${pool.name} can create no replacement now`))
      return undefined
    }
    const of = { reason: 'Drifted', candidates: [candidate] } as const
    const move: Move = isFull
      ? { ...of, replacements: [], saving: undefined, terminatesFirst: terminatesFirst(pool) }
      : { ...of, replacements: [replacement], saving: savingOf([candidate], [replacement]) }
    const tooManyMoves = wave.tooMany(move)
    if (tooManyMoves !== undefined) {
      refuse(tooManyMoves)
      return undefined
    }
    if (!isFull) room.left--
    wave.take([candidate], move)
    return move
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
