import type { ClaimAction } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * Deletes a claim that failed, and asks for a decision that plans its pods again at once. Returns false if the API server has no such claim: another
 * writer was faster.
 */
export async function endClaim(
  deps: ClusterDeps,
  claim: NodeClaim,
  { code, message }: Extract<ClaimAction, { readonly kind: 'deleteClaim' }>,
  signal: AbortSignalLike,
): Promise<boolean> {
  if ((await deps.api.deleteClaim(claim.name, claim.meta.uid, signal)) === undefined) return false
  deps.telemetry.warn(`nodeclaim ${claim.name} is ended: ${message}`, { cluster: deps.cluster, claim: claim.name, code })
  deps.queue.decide({ because: 'capacity', eventAt: deps.clock.now() })
  return true
}
