/**
 * Metrics of the end of claims, under Karpenter's names. A count is a metric of that many. Karpenter has more labels on some: 30 NodePools of two
 * kinds of machines would have more series than a process keeps, and the event about each claim names its NodePool and the kind of its machine.
 */
import { findCondition, isTrue } from '../../model/condition.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry'>

/** Karpenter's word where no move took the node. */
const FORCEFUL = 'Forceful Termination'

/** An eviction that was asked for, with the status of the answer. */
export function measureEviction({ cluster, telemetry }: Told, code: string | number): void {
  telemetry.measure('karpenter_pods_eviction_requests_total', 1, { cluster, code: String(code) })
}

/** A pod that began to go from the node of a claim that ends. */
export function measurePodDrained({ cluster, telemetry }: Told, { status: { conditions } }: NodeClaim): void {
  const because = isTrue(conditions, 'DisruptionReason') ? findCondition(conditions, 'DisruptionReason')?.reason : undefined
  telemetry.measure('karpenter_pods_drained_total', 1, { cluster, reason: because ?? FORCEFUL })
}

export function measureNodeDrained({ cluster, telemetry }: Told): void {
  telemetry.measure('karpenter_nodes_drained_total', 1, { cluster })
}

/** A claim that nobody moved: it came to nothing, reached its age or is broken. */
export function measureEnded({ cluster, telemetry }: Told, { meta: { labels } }: NodeClaim, reason: string): void {
  telemetry.measure('karpenter_nodeclaims_disrupted_total', 1, { cluster, nodePool: labels[LABEL.nodePool], reason })
}

export function measureUnhealthy({ cluster, telemetry }: Told, condition: string): void {
  telemetry.measure('karpenter_nodeclaims_unhealthy_disrupted_total', 1, { cluster, condition })
}

/** Karpenter's word for why a claim came to nothing, and for what only Joiner tells, the code's. */
export function reasonOf(code: ProblemCode): string {
  return REASONS[code] ?? code.slice(code.indexOf('.') + 1).toLowerCase()
}

const REASONS: { readonly [Code in ProblemCode]?: string } = {
  'NODECLASS.NOT_FOUND': 'nodeclass_not_ready',
  'NODECLASS.NOT_READY': 'nodeclass_not_ready',
  'CLAIM.INSTANCE_GONE': 'garbage_collected',
}
