import type { NodePool } from '../../../../model/nodePool.ts'
import { has, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import { untolerated } from '../../../../model/taint.ts'
import type { TopologyGroup } from '../topology/topologyGroup.ts'
import type { Catalog } from './catalog.ts'
import { requirementsOfPool } from './template.ts'

/** A pool that could make machines, even if it cannot now. A topology spread counts its domains. */
export type DomainSource = {
  readonly pool: NodePool
  /** The values of a label that its machines may have. */
  valuesOf(key: string): ReadonlySet<string>
}

export function domainSource(pool: NodePool, catalog: Catalog): DomainSource {
  const requirements = requirementsOfPool(pool)
  const known = new Map<string, ReadonlySet<string>>()
  return {
    pool,
    valuesOf(key) {
      const values = known.get(key) ?? valuesIn(requirements, catalog, key)
      known.set(key, values)
      return values
    },
  }
}

/** Adds to each group the domains in which the pools could make machines. */
export function addDomainsOfPools(groups: readonly TopologyGroup[], sources: readonly DomainSource[]): void {
  for (const group of groups) {
    const reaching = group.isHost ? [] : sources.filter(({ pool }) => reaches(group, pool))
    for (const source of reaching) {
      for (const value of source.valuesOf(group.key)) {
        group.known.add(value)
        group.ofPools.add(value)
      }
    }
  }
}

function reaches({ filter }: TopologyGroup, pool: NodePool): boolean {
  return filter?.tolerations === undefined || untolerated(pool.template.taints, filter.tolerations).length === 0
}

function valuesIn(requirements: Requirements, { types }: Catalog, key: string): ReadonlySet<string> {
  const own = requirements.get(key)
  const values = new Set<string>(own === undefined || own.complement ? [] : own.values)
  const take = (listed: Requirement | undefined): void => {
    if (listed === undefined || listed.complement) return
    for (const value of listed.values) if (own === undefined || has(own, value)) values.add(value)
  }
  for (const { type, requirements: ofType } of types) {
    take(ofType.get(key))
    // An offering that cannot be bought now is a domain all the same.
    for (const offering of type.offerings) take(offering.requirements.find((each) => each.key === key))
  }
  return values
}
