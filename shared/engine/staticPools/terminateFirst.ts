/**
 * Terminate first: in a pool without room under `limits.nodes`, a machine goes before another one comes in its place. The pool has fewer machines
 * meanwhile, so this is done only where the settings ask for it.
 */
import type { DecisionSettings, TerminateFirstFor } from '../../model/clusterSnapshot.ts'
import type { Reason, TerminatesFirst } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { type CandidateWithCost, reasonOf } from '../disruption/candidates/candidate.ts'
import { wasBornDrifted } from '../disruption/moves/move.ts'
import { membersOf, type StaticPool } from './staticClaims.ts'

export function terminatesFirst({ name }: StaticPool): TerminatesFirst {
  return { pool: name, why: 'static-at-limit' }
}

/** Reports whether machines of the pool go before others come in their place: the settings let them, and the limit never leaves room for both. */
export function mustGoFirst(pool: StaticPool, reason: TerminateFirstFor, { terminateFirst }: DecisionSettings): boolean {
  return terminateFirst?.includes(reason) === true && !mayHaveRoom(pool)
}

function mayHaveRoom({ limits, replicas }: StaticPool): boolean {
  return (limits['nodes'] ?? Number.POSITIVE_INFINITY) > replicas
}

/**
 * Why the machine may not go before another one comes. It may not while machines of the pool are still to come up: a budget counts only machines that
 * go, so the pool could lose one after the other before the first has come back. Undefined if it may go, as far as budgets let it.
 */
export function whyNotFirst(
  candidate: Pick<CandidateWithCost, 'claim'>,
  { pool, reason }: { readonly pool: StaticPool; readonly reason: TerminateFirstFor },
  snapshot: FleetSnapshot,
): Reason | undefined {
  const { claim } = candidate
  if (!mustGoFirst(pool, reason, snapshot.settings)) return noRoom(candidate, pool)
  const missing = missingOf(pool, claim, snapshot)
  if (missing > 0) {
    const message = `nodepool ${pool.name} has no room for a replacement, and waits for ${missing} nodes to come up before another one goes`
    return reasonOf(claim, 'DISRUPTION.PENDING', message)
  }
  if (reason !== 'Drifted' || !wasBornDrifted(claim, pool, snapshot)) return undefined
  const message = `nodeclaim ${claim.name} had drifted when it came up, and its nodepool and aksnodeclass are the same today, so the next one would as well; correct the cause in the nodepool or its aksnodeclass, or delete the nodeclaim to try again`
  return reasonOf(claim, 'DISRUPTION.DRIFT_PAUSED', message)
}

/** The machines beside that of the claim that the pool should have, and that neither run nor go. */
function missingOf(pool: StaticPool, { name }: NodeClaim, snapshot: FleetSnapshot): number {
  const there = membersOf(pool, snapshot).filter(
    ({ stage, there: seen }) => stage !== 'active' || seen?.machine.isInitialized === true || seen?.claim.name === name,
  )
  return Math.min(pool.replicas, pool.limits['nodes'] ?? pool.replicas) - there.length
}

function noRoom({ claim }: Pick<CandidateWithCost, 'claim'>, pool: StaticPool): Reason {
  const { name, limits } = pool
  const toDo = mayHaveRoom(pool) ? '' : '; to do: raise it, or let nodes go first with the setting TERMINATE_FIRST'
  const message = `limits.nodes of nodepool ${name} leaves no room for a replacement: it is ${limits['nodes']}, and must be above the number of existing nodes${toDo}`
  return reasonOf(claim, 'DISRUPTION.NO_ROOM', message)
}
