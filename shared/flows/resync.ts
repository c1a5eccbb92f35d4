import type { NodeClaim } from '../model/nodeClaim.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'

/**
 * Finds all work again from the truth: rings for the cluster, and hints at every claim that is not where it should be. What a
 * crash lost is taken up here, within one period of the timer.
 */
export async function resync(deps: ClusterDeps, signal: AbortSignalLike): Promise<{ readonly hints: number }> {
  const sentAt = deps.clock.now()
  await deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'resync', eventAt: sentAt, urgent: true }, 0, signal)
  const unsettled = (await deps.api.listClaims(signal)).filter(hasWork)
  for (const claim of unsettled) {
    await deps.queue.send({ kind: 'nodeClaim', cluster: deps.cluster, claim: claim.name, follow: false, sentAt, attempt: 0 }, 0, signal)
  }
  return { hints: unsettled.length }
}

function hasWork(claim: NodeClaim): boolean {
  if (claim.meta.deletedAt !== undefined) return true
  return !claim.status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
}
