import { troubledClaims } from '../engine/lifecycle/troubledClaims.ts'
import type { Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import type { ClusterState } from './clusterState.ts'

/**
 * On each resync, has the claims looked at whose node is lost or unwell though they are ready themselves. The resync reads
 * claims only, and a message about the node may have been lost; the picture of the cluster knows without asking anybody.
 */
export async function hintTroubled(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue'>,
  state: ClusterState,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<void> {
  if (!doorbells.some(({ because }) => because === 'resync')) return
  const { node, nodeClaim } = state.objects()
  const sentAt = deps.clock.now()
  for (const { name } of troubledClaims(node, nodeClaim)) {
    await deps.queue.send({ kind: 'nodeClaim', cluster: deps.cluster, claim: name, follow: false, sentAt, attempt: 0 }, 0, signal)
  }
}
