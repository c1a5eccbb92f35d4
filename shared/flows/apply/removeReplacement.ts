import { isTrue } from '../../model/condition.ts'
import type { RemoveReplacement } from '../../model/decision.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { claimRequest } from '../queue/claimRequest.ts'

/** Deletes a replacement of a failed disruption command. A replacement that was initialized meanwhile stays as capacity. */
export async function removeReplacement(
  deps: ClusterDeps,
  { claim: name, uid, command }: RemoveReplacement,
  signal: AbortSignalLike,
): Promise<void> {
  const claim = await deps.api.getClaim(name, signal)
  if (claim === undefined || claim.meta.uid !== uid || claim.meta.deletedAt !== undefined) return
  if (isTrue(claim.status.conditions, 'Initialized')) return
  await deps.api.deleteClaim(name, uid, signal)
  deps.queue.reconcile(claimRequest(claim))
  deps.telemetry.info(`nodeclaim ${name} is not needed: move ${command} failed`, { cluster: deps.cluster, claim: name })
}
