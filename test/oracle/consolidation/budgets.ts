/** The number of machines of each pool that a method may disrupt. The compared clusters have no budgets with a schedule. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Budget, DisruptionReason } from '../../../shared/model/nodePool.ts'
import type { Candidate } from './candidate.ts'

/** The candidates that the budgets allow, in order. Each candidate uses up its part of a budget. */
export function withinBudgets(snapshot: ClusterSnapshot, candidates: readonly Candidate[], reason: DisruptionReason): readonly Candidate[] {
  const remaining = new Map(snapshot.objects.nodePool.map(({ name }) => [name, remainingOf(snapshot, name, reason)]))
  return candidates.filter(({ pool }) => {
    const left = remaining.get(pool.name) ?? 0
    remaining.set(pool.name, left - 1)
    return left > 0
  })
}

function remainingOf({ objects }: ClusterSnapshot, name: string, reason: DisruptionReason): number {
  const pool = objects.nodePool.find((each) => each.name === name)
  const own = objects.node.filter(({ meta: { labels } }) => labels[LABEL.nodePool] === name && labels[LABEL.initialized] === 'true')
  const away = own.filter(({ conditions }) => !conditions.some(({ type, status }) => type === 'Ready' && status === 'True'))
  const allowed = (pool?.disruption.budgets ?? [])
    .filter(({ reasons }) => reasons === undefined || reasons.includes(reason))
    .map((budget) => allowedBy(budget, own.length))
  return Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, ...allowed) - away.length)
}

function allowedBy({ nodes }: Budget, total: number): number {
  const amount = Number.parseInt(nodes, 10)
  return nodes.endsWith('%') ? Math.ceil((amount / 100) * total) : amount
}
