/** Metrics about disruption commands, with Karpenter's names. Each call adds its value to a counter. */
import type { Action } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureEnded, measurePodsDisrupted } from './claimMetrics.ts'

/** Counts the commands that a decision starts. A deletion that belongs to a command under way was counted when the command started. */
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

/** Counts a claim that a command disrupts, and its pods that must be rescheduled. */
export function measureDisrupted(
  deps: ClusterDeps,
  claim: NodeClaim,
  { because, pods }: { readonly because: DisruptionReason; readonly pods: number },
): void {
  const reason = inMetrics(because)
  measureEnded(deps, claim, reason)
  measurePodsDisrupted(deps, reason, pods)
}

/** Counts a failed command. */
export function measureFailed({ cluster, telemetry }: ClusterDeps, { reason, method }: DisruptionCommand): void {
  telemetry.measure('karpenter_voluntary_disruption_queue_failures_total', 1, { cluster, reason: inMetrics(reason), decision: method })
}

/** Karpenter writes reasons in lower case in its metrics. */
function inMetrics(reason: DisruptionReason): string {
  return reason.toLowerCase()
}
