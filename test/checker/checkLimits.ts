import { ownValue, setOwnValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Resources } from '../../shared/model/resources.ts'
import { outcomesOf } from './outcomes.ts'
import type { PlacedClaim } from './placement.ts'
import { type Violation, violation } from './violation.ts'

/** Checks that the limits of pools hold even if every claim gets its largest machine. A pool beyond a limit must not grow. */
export function checkLimits(snapshot: ClusterSnapshot, claims: readonly PlacedClaim[]): readonly Violation[] {
  return snapshot.objects.nodePool.flatMap((pool) => {
    const own = claims.filter((claim) => claim.pool === pool.name)
    if (own.length === 0) return []
    const used = [...existing(snapshot, pool), ...own.map(({ spec }) => largest(snapshot, spec))]
    return Object.entries(pool.limits).flatMap(([name, limit]) => {
      const total = name === 'nodes' ? used.length : used.reduce((sum, each) => sum + (ownValue(each, name) ?? 0), 0)
      return total > limit ? [violation('limit', `nodepool ${pool.name}`, `${total} ${name} may be used, its limit is ${limit}`)] : []
    })
  })
}

function existing(snapshot: ClusterSnapshot, pool: NodePool): readonly Resources[] {
  const { objects, drafts } = snapshot
  const claims = objects.nodeClaim.filter(
    (each) => each.meta.labels['karpenter.sh/nodepool'] === pool.name && each.meta.deletedAt === undefined,
  )
  const seen = new Set<string>(objects.nodeClaim.map((each) => each.name))
  const waiting = drafts.filter((each) => each.nodePool === pool.name && !seen.has(each.name))
  return [
    ...claims.map((claim) => (claim.status.providerId === undefined ? largest(snapshot, claim.spec) : claim.status.capacity)),
    ...waiting.map((draft) => largest(snapshot, draft.spec)),
  ]
}

function largest(snapshot: ClusterSnapshot, spec: NodeClaimSpec): Resources {
  const most: { [name: string]: number } = {}
  for (const { type } of outcomesOf(snapshot, spec, {})) {
    for (const [name, amount] of Object.entries(type.capacity)) setOwnValue(most, name, Math.max(ownValue(most, name) ?? 0, amount))
  }
  return most
}
