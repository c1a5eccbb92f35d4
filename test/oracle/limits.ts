/** The room that the limits of a pool leave for more machines. */
import { ownValue } from '../../shared/base/values.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import { has, requirementsFrom } from '../../shared/model/requirements.ts'
import { add, maxOf, NO_RESOURCES, type Resources } from '../../shared/model/resources.ts'
import type { TypeView } from './instanceTypes.ts'
import type { Machine } from './machines.ts'
import type { Quirks } from './oracleAnswer.ts'
import type { Pass } from './pass.ts'

export type Remaining = Map<NodePool, Resources>

export function remainingLimits(pools: readonly NodePool[], machines: readonly Machine[], { snapshot }: Pass): Remaining {
  const { objects, drafts } = snapshot
  const used = new Map<string, Resources>()
  const count = (pool: string | undefined, capacity: Resources): void => {
    if (pool !== undefined) used.set(pool, add(used.get(pool) ?? NO_RESOURCES, { ...capacity, nodes: 1 }))
  }
  const largest = (spec: NodeClaimSpec): Resources => {
    const named = requirementsFrom(spec.requirements).get(LABEL.instanceType)
    const types = (snapshot.instanceTypes.get(spec.nodeClassRef.name) ?? []).filter((type) => named === undefined || has(named, type.name))
    return types.map((type) => type.capacity).reduce(maxOf, NO_RESOURCES)
  }
  for (const { labels, capacity } of machines) count(labels[LABEL.nodePool], capacity)
  for (const { meta, spec, status } of objects.nodeClaim) {
    if (status.providerId === undefined && meta.deletedAt === undefined) count(meta.labels[LABEL.nodePool], largest(spec))
  }
  const shown = new Set(objects.nodeClaim.map(({ name }) => name))
  for (const { name, nodePool, spec } of drafts) if (!shown.has(name)) count(nodePool, largest(spec))
  return new Map(
    pools.map((pool) => {
      const usage = used.get(pool.name) ?? NO_RESOURCES
      return [pool, Object.fromEntries(Object.entries(pool.limits).map(([name, limit]) => [name, limit - (ownValue(usage, name) ?? 0)]))]
    }),
  )
}

/** The sizes that stay within every limit, or the reason why no size does. */
export function withinLimits(pool: NodePool, types: readonly TypeView[], remaining: Remaining): readonly TypeView[] | string {
  const left = remaining.get(pool) ?? NO_RESOURCES
  if (left['nodes'] !== undefined && left['nodes'] <= 0) return `node limits have been exhausted for nodepool ${pool.name}`
  const within = types.filter(({ type }) => Object.entries(left).every(([name, amount]) => (ownValue(type.capacity, name) ?? 0) <= amount))
  return within.length > 0 ? within : `all available instance types exceed limits for nodepool ${pool.name}`
}

/** Subtracts the largest machine that the claim may become. Karpenter does not count the machine against `nodes`. */
export function takeFromLimits(pool: NodePool, types: readonly TypeView[], remaining: Remaining, quirks: Quirks): void {
  const most = types.map(({ type }) => type.capacity).reduce(maxOf, NO_RESOURCES)
  const taken: Resources = quirks === 'fixed' ? { ...most, nodes: 1 } : most
  const left = remaining.get(pool) ?? NO_RESOURCES
  remaining.set(pool, Object.fromEntries(Object.entries(left).map(([name, amount]) => [name, amount - (ownValue(taken, name) ?? 0)])))
}
