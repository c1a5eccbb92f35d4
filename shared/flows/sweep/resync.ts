import { settleBounded } from '../../base/bounded.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { isUnsettled, type Restfulness, restfulness } from '../ledger/rest.ts'
import { LOOKS_OF_A_CHAIN } from '../lifecycle/chainPace.ts'
import { isOnItsWayIn } from '../lifecycle/seenClaims.ts'
import { stepClaim } from '../lifecycle/stepClaim.ts'
import { claimMessage } from '../messages/claimMessage.ts'
import { doorbellOf } from '../messages/doorbell.ts'

/** Claims looked at beside each other. */
const AT_ONCE = 16

/** How the process looks at one claim; one that steps each claim once at a time meets its own chains there. */
export type Look = (message: ClaimMessage, signal: AbortSignalLike) => Promise<unknown>

export type Resynced = {
  /** Claims that are not where they should be, without those that this process follows on their way in. */
  readonly unsettled: number
  /** Of those, the ones whose look failed. */
  readonly failed: number
  /** Of those, the ones that the time did not suffice for. */
  readonly unseen: number
}

/**
 * Finds all work again from the truth: rings for the cluster unless it is at rest, and looks at every claim that is not where it should be and that this
 * process does not follow on its way in. What a
 * crash lost is taken up here, within one period of the timer. It sends no message for a look: the timer runs once at a time, so however
 * many claims there are and however slowly they are served, no backlog grows. A look that does something starts the claim's chain.
 * `laterLooks`, in milliseconds, are looks at the cluster that come due before the timer runs again; a cluster where the last one found nothing needs none.
 */
export async function resync(
  deps: ClusterDeps,
  signal: AbortSignalLike,
  look: Look = (message, until) => stepClaim(deps, message, until),
  laterLooks: readonly number[] = [],
  rest: () => Promise<Restfulness> = () => restfulness(deps, signal),
): Promise<Resynced> {
  const [rung, looked] = await Promise.allSettled([ring(deps, laterLooks, rest, signal), lookAtUnsettled(deps, look, signal)])
  if (looked.status === 'rejected') throw looked.reason
  if (rung.status === 'rejected') throw rung.reason
  return looked.value
}

/** A cluster at rest is not rung for, and one that was at rest once: whether it needs more is for that look to find. */
async function ring(
  deps: ClusterDeps,
  laterLooks: readonly number[],
  restful: () => Promise<Restfulness>,
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

async function lookAtUnsettled(deps: ClusterDeps, look: Look, signal: AbortSignalLike): Promise<Resynced> {
  const claims = (await deps.api.listClaims(signal, 'recent')).filter((claim) => isUnsettled(claim) && !isFollowed(deps, claim))
  let unseen = 0
  const looks = await settleBounded(startingAt(claims, deps.clock.now()), AT_ONCE, async (claim) => {
    if (signal.aborted) unseen++
    else await look(claimMessage(deps, claim, { attempt: LOOKS_OF_A_CHAIN }), signal)
  })
  const failed = looks.flatMap((look) => (look.ok ? [] : [look.error]))
  for (const cause of failed) report(deps, cause, signal)
  if (unseen > 0) deps.telemetry.warn(`resync had no time for ${unseen} of ${claims.length} claims`, { cluster: deps.cluster, unseen })
  return { unsettled: claims.length, failed: failed.length, unseen }
}

/** This process looks again at such a claim by itself. A claim that ends is looked at as a whole all the same, since its chain asks little. */
function isFollowed({ queue }: ClusterDeps, claim: NodeClaim): boolean {
  return isOnItsWayIn(claim) && queue.follows?.(claim.name) === true
}

/** One claim that cannot be served keeps no other. Of what the outside refused the step itself has said it. */
function report(deps: ClusterDeps, cause: unknown, signal: AbortSignalLike): void {
  if (cause instanceof Fault) return
  if (!signal.aborted) throw cause
  deps.telemetry.warn(`a look at a claim was cut short and is tried again: ${String(cause)}`, { cluster: deps.cluster })
}
