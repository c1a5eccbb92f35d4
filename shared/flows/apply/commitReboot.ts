import { defined } from '../../base/values.ts'
import { subjectOf } from '../../engine/lifecycle/claimStatus.ts'
import { DISRUPTION_REASON, setCondition } from '../../model/condition.ts'
import type { RebootClaim } from '../../model/decision.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isRebooting, REBOOT_REASON, REBOOTING } from '../../model/reboot.ts'
import { formatDuration } from '../../model/time.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { measurePodsDisrupted, measureUnhealthy } from '../reports/claimMetrics.ts'

/**
 * Commits to the reboot of a node: writes to its claim how long the drain may take, then the condition that its steps go by. Nothing is tainted, deleted
 * or launched here. If another writer is faster, the next decision finds the node as unhealthy as before.
 */
export async function commitReboot(deps: ClusterDeps, action: RebootClaim, signal: AbortSignalLike): Promise<void> {
  const claim = await deps.api.getClaim(action.claim, signal)
  if (claim === undefined || claim.meta.uid !== action.uid || claim.meta.deletedAt !== undefined || isRebooting(claim)) return
  const bounded = await deps.api.patchClaim(claim, boundOf(action), signal)
  if (!bounded.ok) return
  const message = `rebooting for ${action.because}`
  const committed = await deps.api.patchClaimStatus(bounded.value, statusOf(deps, bounded.value, message), signal)
  if (!committed.ok) return
  deps.queue.reconcile(claimRequest(committed.value))
  measureUnhealthy(deps, action.condition)
  measurePodsDisrupted(deps, 'unhealthy', action.pods)
  deps.telemetry.info(`the node of nodeclaim ${claim.name} is rebooted: ${message}`, { cluster: deps.cluster, claim: claim.name })
  const event = { subject: subjectOf(claim), uid: claim.meta.uid, type: 'Warning', reason: 'Rebooting', message } as const
  await deps.api.publish(event, signal)
}

/** What an earlier reboot left on the claim goes, or it would count for this one. */
function boundOf({ terminationGracePeriod: bound }: RebootClaim) {
  const gone = [ANNOTATION.rebootPreBootId, ...(bound === undefined ? [ANNOTATION.rebootGracePeriod] : [])]
  return defined({
    annotations: bound === undefined ? undefined : { [ANNOTATION.rebootGracePeriod]: formatDuration(bound) },
    annotationsGone: gone,
  })
}

function statusOf({ clock }: ClusterDeps, { meta, status }: NodeClaim, message: string): NodeClaim['status'] {
  const now = clock.now()
  const marked = setCondition(status.conditions, { type: DISRUPTION_REASON, status: 'True', reason: 'Unhealthy' }, meta, now)
  const reboot = { type: REBOOTING, status: 'True', reason: REBOOT_REASON.requested, message } as const
  return { ...status, conditions: setCondition(marked, reboot, meta, now) }
}
