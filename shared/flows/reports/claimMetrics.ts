/**
 * Metrics about the end of claims and about disruption commands, with Karpenter's names. Each call adds its value to a counter. Karpenter has more
 * labels on some of them. Those on NodePools are left out here except where they say why claims end, because 30 NodePools with two kinds of machines
 * would need more series than a process keeps. The event about each claim names its NodePool and its kind of machine.
 */
import type { RebootEnd } from '../../model/claimStep.ts'
import { DISRUPTION_REASON, findCondition, isTrue } from '../../model/condition.ts'
import type { Action, TerminatesFirst } from '../../model/decision.ts'
import type { DisruptionCommand, RepairCause } from '../../model/disruptionCommand.ts'
import type { CapacityType } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { MetricDimensions } from '../../model/metrics.ts'
import { type NodeClaim, terminationModeOf } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { DurationMs } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry'>

/** Karpenter's reason for pods of a node that is not voluntarily disrupted. */
const FORCEFUL = 'Forceful Termination'

/** Counts an eviction request by the HTTP status of its answer. */
export function measureEviction({ cluster, telemetry }: Told, code: string | number): void {
  telemetry.measure('karpenter_pods_eviction_requests_total', 1, { cluster, code: String(code) })
}

/** Counts pods that began to terminate on a node that is drained. */
export function measurePodsDrained({ cluster, telemetry }: Told, { status: { conditions } }: NodeClaim, pods: number): void {
  const because = isTrue(conditions, DISRUPTION_REASON) ? findCondition(conditions, DISRUPTION_REASON)?.reason : undefined
  telemetry.measure('karpenter_pods_drained_total', pods, { cluster, reason: because ?? FORCEFUL })
}

export function measureNodeDrained({ cluster, telemetry }: Told): void {
  telemetry.measure('karpenter_nodes_drained_total', 1, { cluster })
}

/** Counts a claim that ends. `reason`: in lower case, as in Karpenter's metrics. `bound`: that of a repair, which comes before the claim's own. */
export function measureEnded({ cluster, telemetry }: Told, claim: NodeClaim, reason: string, bound?: DurationMs): void {
  telemetry.measure('karpenter_nodeclaims_disrupted_total', 1, {
    cluster,
    ...kindOf(claim),
    reason,
    terminationMode: terminationModeOf(bound === undefined ? claim.spec : { terminationGracePeriod: bound }),
  })
}

/** Counts the pods that need another place because their claim ends. */
export function measurePodsDisrupted({ cluster, telemetry }: Told, reason: string, pods: number): void {
  telemetry.measure('karpenter_pods_disruption_initiated_total', pods, { cluster, reason })
}

/** The NodePool and the kind of machine of a claim. A claim that was never launched has no kind. */
function kindOf({
  meta: { labels },
}: NodeClaim): Pick<MetricDimensions<'karpenter_nodeclaims_disrupted_total'>, 'nodePool' | 'capacityType'> {
  return { nodePool: labels[LABEL.nodePool], capacityType: labels[LABEL.capacityType] }
}

/** Counts a try to launch a machine. */
export function measureLaunchTried({ cluster, telemetry }: Told, capacityType: CapacityType): void {
  telemetry.measure('karpenter_instance_vm_create_start_total', 1, { cluster, capacityType })
}

/** `sync`: the request for the machine failed. `async`: the machine failed after Azure had accepted the request. */
export type LaunchPhase = 'sync' | 'async'

/** Counts a launch that failed. */
export function measureLaunchFailed(
  { cluster, telemetry }: Told,
  {
    phase,
    capacityType,
    errorCode,
  }: { readonly phase: LaunchPhase; readonly capacityType: string | undefined; readonly errorCode: ProblemCode },
): void {
  telemetry.measure('karpenter_instance_vm_create_failure_total', 1, { cluster, capacityType, phase, errorCode })
}

export function measureUnhealthy({ cluster, telemetry }: Told, condition: string): void {
  telemetry.measure('karpenter_nodeclaims_unhealthy_disrupted_total', 1, { cluster, condition })
}

/** Counts a reboot that has ended. */
export function measureReboot({ cluster, telemetry }: Told, { result, tookMs, recoveryMs }: RebootEnd): void {
  telemetry.measure('karpenter_nodes_reboots_total', 1, { cluster, result })
  telemetry.measure('karpenter_nodes_reboot_duration_seconds', tookMs / 1000, { cluster, result })
  if (recoveryMs !== undefined) telemetry.measure('karpenter_nodes_reboot_recovery_duration_seconds', recoveryMs / 1000, { cluster })
}

/** Karpenter's reason for the end of a claim. For a code that Karpenter does not have, the code without its first part, in lower case. */
export function reasonOf(code: ProblemCode): string {
  return REASONS[code] ?? code.slice(code.indexOf('.') + 1).toLowerCase()
}

const REASONS: { readonly [Code in ProblemCode]?: string } = {
  'NODECLASS.NOT_FOUND': 'nodeclass_not_ready',
  'NODECLASS.NOT_READY': 'nodeclass_not_ready',
  'CLAIM.INSTANCE_GONE': 'garbage_collected',
}

/** Counts the commands that a decision starts, and its reboots. A deletion that belongs to a command under way was counted when the command started. */
export function measureDecided({ cluster, telemetry }: ClusterDeps, actions: readonly Action[]): void {
  for (const action of actions) {
    const begun = beginningOf(action)
    if (begun === undefined) continue
    const { decision, first } = begun
    const reason = inMetrics(begun.reason)
    telemetry.measure('karpenter_voluntary_disruption_decisions_total', 1, { cluster, reason, decision })
    if (first === undefined) continue
    const { pool: nodePool, why: terminateFirstReason } = first
    telemetry.measure('karpenter_voluntary_disruption_terminate_first_decisions_total', 1, {
      cluster,
      nodePool,
      reason,
      terminateFirstReason,
    })
  }
}

type Beginning = {
  readonly reason: DisruptionReason
  readonly decision: 'replace' | 'delete' | 'terminate-first' | 'reboot'
  readonly first?: TerminatesFirst | undefined
}

function beginningOf(action: Action): Beginning | undefined {
  if (action.kind === 'startCommand') return { reason: action.command.reason, decision: 'replace' }
  if (action.kind === 'rebootClaim') return { reason: 'Unhealthy', decision: 'reboot' }
  if (action.kind !== 'deleteClaim' || action.command !== undefined) return undefined
  const { because, terminatesFirst: first } = action
  return { reason: because, decision: first === undefined ? 'delete' : 'terminate-first', first }
}

/** Counts a claim that a command disrupts, and its pods that must be rescheduled. */
export function measureDisrupted(
  deps: ClusterDeps,
  claim: NodeClaim,
  { because, pods, repair }: { readonly because: DisruptionReason; readonly pods: number; readonly repair?: RepairCause | undefined },
): void {
  const reason = inMetrics(because)
  measureEnded(deps, claim, reason, repair?.terminationGracePeriod)
  measurePodsDisrupted(deps, reason, pods)
  if (repair !== undefined) measureUnhealthy(deps, repair.condition)
}

/** Counts a failed command. */
export function measureFailed({ cluster, telemetry }: ClusterDeps, { reason, method }: DisruptionCommand): void {
  telemetry.measure('karpenter_voluntary_disruption_queue_failures_total', 1, { cluster, reason: inMetrics(reason), decision: method })
}

/** Karpenter writes reasons in lower case in its metrics. */
function inMetrics(reason: DisruptionReason): string {
  return reason.toLowerCase()
}
