import { mapBounded } from '../../base/bounded.ts'
import { type Condition, DISRUPTION_REASON, findCondition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measurePodsDrained } from '../reports/claimMetrics.ts'
import { evictedEvents } from './evictedEvents.ts'
import { PODS_AT_ONCE, type PodAction } from './podAction.ts'

/**
 * Publishes Events about the pods that began to terminate, with the reason. The pods of an Event are counted only if this process is the first to
 * publish it: other processes may evict the same pods at the same moment, and the API server accepts each eviction. If such a process evicts only a
 * part of the pods that share an Event, it counts this part again. The reasons are those of Karpenter's Events.
 */
export async function reportRemoved(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  claim: NodeClaim,
  actions: readonly PodAction[],
  signal: AbortSignalLike,
): Promise<void> {
  const why = findCondition(claim.status.conditions, DISRUPTION_REASON)
  const because = `nodeclaim ${claim.name} ends${why === undefined ? '' : ` (${reasonText(why)})`}`
  const evicted = actions.flatMap((action) => (action.kind === 'evictPod' ? [action.pod] : []))
  const deleted = actions.flatMap((action) => (action.kind === 'deletePod' ? [{ event: deletedEvent(action, because), pods: 1 }] : []))
  await mapBounded([...evictedEvents(evicted, because), ...deleted], PODS_AT_ONCE, ({ event, pods }) =>
    deps.api.publish(event, signal, () => measurePodsDrained(deps, claim, pods)),
  )
}

function reasonText({ reason, message }: Condition): string {
  return message === '' ? reason : `${reason}: ${message}`
}

/** Its key is the kind of the action, so that a later run, with less time left, publishes no second Event. */
function deletedEvent(
  { kind, pod, gracePeriodSeconds }: Extract<PodAction, { readonly kind: 'deletePod' }>,
  because: string,
): ClusterEvent {
  const { key, uid, terminationGracePeriodSeconds: own } = pod
  const granted = `${gracePeriodSeconds} s${own === undefined ? '' : ` of its ${own} s`}`
  return {
    subject: { kind: 'pod', name: key },
    uid,
    type: 'Normal',
    key: kind,
    reason: 'Disrupted',
    message: `deleted with a grace period of ${granted}, whatever holds it: ${because} by its deadline`,
  }
}
