/** Metrics of moves, under Karpenter's names. A count is a metric of that many. */
import type { Action } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Moves that a decision begins. A deletion that is a step of a move under way was counted when the move began. */
export function measureDecided({ cluster, telemetry }: ClusterDeps, actions: readonly Action[]): void {
  for (const action of actions) {
    const reason =
      action.kind === 'startCommand'
        ? action.command.reason
        : action.kind === 'deleteClaim' && action.command === undefined
          ? action.because
          : undefined
    if (reason === undefined) continue
    const decision = action.kind === 'startCommand' ? 'replace' : 'delete'
    telemetry.measure('karpenter_voluntary_disruption_decisions_total', 1, { cluster, reason: inMetrics(reason), decision })
  }
}

/** A machine that a move takes away, with the pods that need another place. */
export function measureTaken(
  { cluster, telemetry }: ClusterDeps,
  { meta: { labels } }: NodeClaim,
  { because, pods }: { readonly because: DisruptionReason; readonly pods: number },
): void {
  const reason = inMetrics(because)
  telemetry.measure('karpenter_nodeclaims_disrupted_total', 1, { cluster, nodePool: labels[LABEL.nodePool], reason })
  telemetry.measure('karpenter_pods_disruption_initiated_total', pods, { cluster, reason })
}

/** A move came to nothing. */
export function measureUndone({ cluster, telemetry }: ClusterDeps, { reason, method }: DisruptionCommand): void {
  telemetry.measure('karpenter_voluntary_disruption_queue_failures_total', 1, { cluster, reason: inMetrics(reason), decision: method })
}

/** Karpenter writes reasons in lower case there. */
function inMetrics(reason: DisruptionReason): string {
  return reason.toLowerCase()
}
