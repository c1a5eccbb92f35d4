/** The domains that pools and sizes can make, by topology key, with the taints of the pools. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Requirement } from '../../shared/model/requirements.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Algebra } from './algebra.ts'
import type { Quirks } from './oracleAnswer.ts'
import { labelRequirements } from './podNeeds.ts'
import { poolRequirements } from './templates.ts'

/** Maps a domain to the sets of taints with which nodes in it come. */
export type Domains = ReadonlyMap<string, readonly (readonly Taint[])[]>
export type Universe = ReadonlyMap<string, Domains>

export function universeOf(pools: readonly NodePool[], snapshot: ClusterSnapshot, algebra: Algebra, quirks: Quirks): Universe {
  const universe = new Map<string, Map<string, (readonly Taint[])[]>>()
  const insert = (requirement: Requirement, taints: readonly Taint[]): void => {
    // Karpenter takes the excluded values of a complement as domains.
    if (requirement.complement && quirks === 'fixed') return
    const domains = universe.get(requirement.key) ?? new Map<string, (readonly Taint[])[]>()
    universe.set(requirement.key, domains)
    for (const value of requirement.values) domains.set(value, joined(domains.get(value), taints))
  }
  for (const pool of pools) {
    const { taints, labels, nodeClassRef } = pool.template
    const own = algebra.merge(poolRequirements(pool, algebra), labelRequirements(labels))
    for (const type of snapshot.instanceTypes.get(nodeClassRef.name) ?? []) {
      const ofType = new Map(type.requirements.map((each) => [each.key, each]))
      for (const requirement of algebra.merge(own, ofType).values()) insert(requirement, taints)
    }
    for (const requirement of own.values()) if (!requirement.complement) insert(requirement, taints)
  }
  return universe
}

/** Adds a set of taints. A domain that is available without taints keeps only the empty set. */
function joined(known: (readonly Taint[])[] | undefined, taints: readonly Taint[]): (readonly Taint[])[] {
  if (known === undefined || taints.length === 0) return [taints]
  return known[0]?.length === 0 ? known : [...known, taints]
}
