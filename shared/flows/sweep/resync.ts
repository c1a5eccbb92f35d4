import { settleBounded } from '../../base/bounded.ts'
import { findCondition } from '../../model/condition.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { durationMs, epochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { isNotReady, type RestState, restStateOf } from '../ledger/rest.ts'
import { MAX_ATTEMPTS } from '../lifecycle/requeueBackoff.ts'
import { isInitializing } from '../lifecycle/seenClaims.ts'
import { stepClaim } from '../lifecycle/stepClaim.ts'
import { claimMessage } from '../messages/claimMessage.ts'
import { doorbellOf } from '../messages/doorbell.ts'

/** The most concurrent looks at claims. */
const AT_ONCE = 16
/** How late the list of claims may be. The API server makes it from its cache, which follows a burst of writes with a delay. */
const LIST_LAG = durationMs(60_000)

/** How the process looks at one claim. A look through `ClaimSteps` joins a step of the same claim that is under way. */
export type ReconcileClaim = (message: ClaimMessage, signal: AbortSignalLike) => Promise<unknown>

export type Resynced = {
  /** The number of claims that are not ready or are being deleted, without those that this process follows until they are initialized. */
  readonly unsettled: number
  /** The number of these claims whose look failed. */
  readonly failed: number
  /** The number of these claims for which there was no time. */
  readonly unseen: number
}

/**
 * Finds all work again from the custom resources: rings for the cluster unless it is at rest, and looks at every claim that is not ready or is being
 * deleted, except those that this process follows until they are initialized. Work that a crash lost is found here, within one period of the timer.
 * The looks need no messages. Because the timer never runs twice at a time, no backlog grows, however many claims there are and however slow the
 * looks are. A look that does something starts the chain of its claim. `laterLooks` are delays in milliseconds of further decisions before the timer
 * runs again. A cluster where the last decision found nothing to do needs none of them.
 */
export async function resync(
  deps: ClusterDeps,
  signal: AbortSignalLike,
  reconcile: ReconcileClaim = (message, until) => stepClaim(deps, message, until),
  laterLooks: readonly number[] = [],
  rest: () => Promise<RestState> = () => restStateOf(deps, signal),
): Promise<Resynced> {
  const [rung, looked] = await Promise.allSettled([ring(deps, laterLooks, rest, signal), reconcileNotReady(deps, reconcile, signal)])
  if (looked.status === 'rejected') throw looked.reason
  if (rung.status === 'rejected') throw rung.reason
  return looked.value
}

/** Rings for the cluster: not at all if it is at rest, and once if its rest is over. The decision then finds out whether more is needed. */
async function ring(
  deps: ClusterDeps,
  laterLooks: readonly number[],
  restful: () => Promise<RestState>,
  signal: AbortSignalLike,
): Promise<void> {
  const rest = await restful()
  if (rest === 'resting') return
  const { clock, cluster, queue } = deps
  const now = clock.now()
  await queue.ring(doorbellOf(cluster, 'resync', now), 0, signal)
  if (rest === 'stale') return
  for (const delay of laterLooks) await queue.ring(doorbellOf(cluster, 'disruption', epochMs(now + delay)), delay, signal)
}

async function reconcileNotReady(deps: ClusterDeps, reconcile: ReconcileClaim, signal: AbortSignalLike): Promise<Resynced> {
  const listed = await deps.api.listClaims(signal, 'recent')
  const claims = listed.filter((claim) => isNotReady(claim) && !isFollowed(deps, claim) && !isListedLate(deps, claim))
  let unseen = 0
  const looks = await settleBounded(startingAt(claims, deps.clock.now()), AT_ONCE, async (claim) => {
    if (signal.aborted) unseen++
    else await reconcile(claimMessage(deps, claim, { attempt: MAX_ATTEMPTS }), signal)
  })
  const failed = looks.flatMap((reconcile) => (reconcile.ok ? [] : [reconcile.error]))
  for (const cause of failed) report(deps, cause, signal)
  if (unseen > 0) deps.telemetry.warn(`resync had no time for ${unseen} of ${claims.length} claims`, { cluster: deps.cluster, unseen })
  return { unsettled: claims.length, failed: failed.length, unseen }
}

/**
 * Reports whether this process follows the claim until it is initialized. A claim that is being deleted never counts as followed, because looks of
 * its chain read little, and the resync reads everything.
 */
function isFollowed({ queue }: ClusterDeps, claim: NodeClaim): boolean {
  return isInitializing(claim) && queue.follows?.(claim.name) === true
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

/** Reports a failed look, so that the other claims go on. A Fault was already logged by the step. */
function report(deps: ClusterDeps, cause: unknown, signal: AbortSignalLike): void {
  if (cause instanceof Fault) return
  if (!signal.aborted) throw cause
  deps.telemetry.warn(`a look at a claim was cut short and is tried again: ${String(cause)}`, { cluster: deps.cluster })
}
