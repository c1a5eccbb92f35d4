import type { ClaimAction } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Ends a claim that came to nothing, and has its pods planned again at once. */
export async function endClaim(
  deps: ClusterDeps,
  claim: NodeClaim,
  { code, message }: Extract<ClaimAction, { readonly kind: 'deleteClaim' }>,
  signal: AbortSignalLike,
): Promise<void> {
  await deps.api.deleteClaim(claim.name, claim.meta.uid, signal)
  deps.telemetry.warn(`nodeclaim ${claim.name} is ended: ${message}`, { cluster: deps.cluster, claim: claim.name, code })
  const eventAt = deps.clock.now()
  await deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'capacity', eventAt, urgent: true }, 0, signal)
}
