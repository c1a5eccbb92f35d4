/** Drift of static pools: each machine that is no longer what its pool asks for goes once another machine has come in its place. */
import { once } from '../../base/caches.ts'
import { byKey, byText, inOrder } from '../../base/lists.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { withoutAddressesOf } from '../cluster/subnetAddresses.ts'
import { nextEdge } from '../disruption/budgets/budgets.ts'
import { type CandidateWithCost, candidatesIn, isGraced, reasonOf, withCosts } from '../disruption/candidates/candidate.ts'
import { ofPodsAlone, podBudgets, promisedClaims, protectionEnds, protectionOf } from '../disruption/candidates/protection.ts'
import { restMessage, restsOf } from '../disruption/commands/moveRests.ts'
import { driftedSince, isDrifted } from '../disruption/methods/drift.ts'
import { actionsOf } from '../disruption/moves/move.ts'
import { driftBrakes, type Planner } from '../disruption/verdicts/verdicts.ts'
import { forbiddenIn, frozenBy } from '../disruption/waves/calm.ts'
import { createWave } from '../disruption/waves/wave.ts'
import { isKept } from './staticClaims.ts'
import { createReplacing } from './staticReplacement.ts'

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
  const replacing = createReplacing(snapshot, drift.others, wave)
  const mayGo = drifted.sort(driftOrder).filter(unprotected(snapshot, drift, refuse))
  const moves = mayGo.flatMap((candidate) => {
    const replaced = replacing(candidate, { reason: 'Drifted' })
    if ('move' in replaced) return [replaced.move]
    refuse(replaced.against)
    return []
  })
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
