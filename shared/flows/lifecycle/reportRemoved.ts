import { mapBounded } from '../../base/bounded.ts'
import { findCondition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measurePodDrained } from '../reports/claimMetrics.ts'
import { PODS_AT_ONCE, type PodAction } from './podAction.ts'

/**
 * Publishes an Event on each pod that began to terminate, with the reason. The pod is counted only if this process is the first to publish the Event:
 * other processes may evict the same pod at the same moment, and the API server accepts each eviction. The reasons are those of Karpenter's Events.
 */
export async function reportRemoved(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  claim: NodeClaim,
  actions: readonly PodAction[],
  signal: AbortSignalLike,
): Promise<void> {
  const why = findCondition(claim.status.conditions, 'DisruptionReason')?.reason
  const because = `nodeclaim ${claim.name} ends${why === undefined ? '' : ` (${why})`}`
  await mapBounded(actions, PODS_AT_ONCE, (action) =>
    deps.api.publish(eventOf(action, because), signal, () => measurePodDrained(deps, claim)),
  )
}

/** The Event of an action. Its key is the kind of the action, so that a later look, with less time left, publishes no second Event. */
function eventOf(action: PodAction, because: string): ClusterEvent {
  const { key, uid, terminationGracePeriodSeconds: own } = action.pod
  const event = { subject: { kind: 'pod', name: key }, uid, type: 'Normal', key: action.kind } as const
  if (action.kind === 'evictPod') return { ...event, reason: 'Evicted', message: `evicted: ${because}` }
  const granted = `${action.gracePeriodSeconds} s${own === undefined ? '' : ` of its ${own} s`}`
  return {
    ...event,
    reason: 'Disrupted',
    message: `deleted with a grace period of ${granted}, whatever holds it: ${because} by its deadline`,
  }
}
