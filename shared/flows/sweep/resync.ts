import { findCondition } from '../../model/condition.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, startingAt } from '../deps/clusterDeps.ts'
import { isNotReady, type RestState, restStateOf } from '../ledger/rest.ts'
import { isInitializing } from '../lifecycle/observeKnown.ts'
import { MAX_ATTEMPTS } from '../lifecycle/stillUnderWay.ts'
import { claimRequest } from '../queue/claimRequests.ts'

/** How late the list of claims may be. The API server makes it from its cache, which follows a burst of writes with a delay. */
const LIST_LAG = durationMs(60_000)

export type ResyncOptions = {
  /** The times of further decisions before the next resync. A cluster where the last decision found nothing to do needs none of them. */
  readonly laterDecisions?: readonly EpochMs[]
  readonly rest?: () => Promise<RestState>
  /** Leaves out claims that ran a moment ago. */
  readonly isDue?: (claim: NodeClaimName) => boolean
}

/**
 * Finds all work again from the custom resources: adds the key `decide` unless the cluster is at rest, and the key of every claim that is not ready or is
 * being deleted, except those that this process follows until they are initialized. Work that a crash lost is found here, within one period of the timer.
 * Returns the number of claims that were added.
 */
export async function resync(deps: ClusterDeps, signal: AbortSignalLike, options: ResyncOptions = {}): Promise<number> {
  const [decided, added] = await Promise.allSettled([addDecide(deps, options, signal), addNotReady(deps, options, signal)])
  if (added.status === 'rejected') throw added.reason
  if (decided.status === 'rejected') throw decided.reason
  return added.value
}

/** Adds no decision for a cluster at rest, and one if its rest is over. The decision then finds out whether more is needed. */
async function addDecide(deps: ClusterDeps, { laterDecisions = [], rest }: ResyncOptions, signal: AbortSignalLike): Promise<void> {
  const state = await (rest ?? (() => restStateOf(deps, signal)))()
  if (state === 'resting') return
  const { clock, queue } = deps
  queue.decide({ because: 'resync', eventAt: clock.now() })
  if (state !== 'stale') queue.decideAtEach(laterDecisions)
}

async function addNotReady(deps: ClusterDeps, { isDue = () => true }: ResyncOptions, signal: AbortSignalLike): Promise<number> {
  const listed = await deps.api.listClaims(signal, 'recent')
  const claims = listed.filter((claim) => isNotReady(claim) && !isFollowed(deps, claim) && !isListedLate(deps, claim))
  for (const claim of startingAt(claims, deps.clock.now()))
    if (isDue(claim.name)) deps.queue.reconcile(claimRequest(claim, { because: 'resync', attempt: MAX_ATTEMPTS }))
  return claims.length
}

/**
 * Reports whether this process follows the claim until it is initialized. A claim that is being deleted never counts as followed, because its
 * requeues read little, and the resync reads everything.
 */
function isFollowed({ queue }: ClusterDeps, claim: NodeClaim): boolean {
  return isInitializing(claim) && queue.follows(claim.name)
}

/**
 * Reports whether the list shows an old version of the claim: this process initialized the claim less than a minute ago. After a minute the list is
 * taken as right, because another writer may have changed the condition.
 */
function isListedLate({ clock, lastSeen }: ClusterDeps, listed: NodeClaim): boolean {
  const seen = isInitializing(listed) ? lastSeen?.(listed.name) : undefined
  if (seen === undefined || seen.meta.uid !== listed.meta.uid) return false
  const initialized = findCondition(seen.status.conditions, 'Initialized')
  return initialized?.status === 'True' && clock.now() < later(initialized.lastTransitionAt, LIST_LAG)
}
