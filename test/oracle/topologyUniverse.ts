/** The domains that pools and sizes can make, by topology key. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Requirement, Requirements } from '../../shared/model/requirements.ts'
import { type Taint, untolerated } from '../../shared/model/taint.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import type { Algebra } from './algebra.ts'
import { typeView } from './instanceTypes.ts'
import type { Quirks } from './oracleAnswer.ts'
import { labelRequirements } from './podNeeds.ts'
import { poolRequirements, templateRequirements } from './templates.ts'
import type { Constraint } from './topologyGroup.ts'

/** The domains that a new group of the constraint knows before any node is looked at. */
export type Universe = (constraint: Constraint, owner: Pod) => readonly string[]

export type UniverseInput = {
  readonly pools: readonly NodePool[]
  readonly snapshot: ClusterSnapshot
  readonly algebra: Algebra
  readonly wellKnown: ReadonlySet<string>
}

export function universeOf(input: UniverseInput, quirks: Quirks): Universe {
  return quirks === 'upstream' ? anyDomain(input) : domainsToBuy(input)
}

/** Pods wait for a refused zone whose refusal ends within this time. */
const WAITED_FOR = durationMs(600_000)

/** Writes down each machine that could be bought. A constraint knows the domains of the machines that pass its filter. */
function domainsToBuy({ pools, snapshot, algebra, wellKnown }: UniverseInput): Universe {
  const then = { ...snapshot, takenAt: later(snapshot.takenAt, WAITED_FOR) }
  const machines = pools.flatMap((pool) => {
    const own = templateRequirements(pool, algebra)
    const taints = pool.template.taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
    const types = (snapshot.instanceTypes.get(pool.template.nodeClassRef.name) ?? []).map((type) => typeView(type, then))
    return types.flatMap((view) =>
      view.offerings.flatMap(({ offering, requirements }) => {
        const isSold = (offering.reservation?.remaining ?? 1) > 0
        const fits = algebra.overlaps(own, view.requirements) && algebra.compatible(own, requirements, wellKnown)
        const labels = algebra.merge(algebra.merge(own, view.requirements), requirements)
        return isSold && fits ? [{ taints, labels }] : []
      }),
    )
  })
  return ({ kind, key, filter }, owner) => {
    if (key === LABEL.hostname) return []
    const passes = ({ taints, labels }: { readonly taints: readonly Taint[]; readonly labels: Requirements }): boolean => {
      if (kind !== 'spread' || filter === undefined) return true
      const isMeant = filter.affinity === 'Ignore' || filter.requirements.some((each) => algebra.compatible(labels, each, wellKnown))
      return isMeant && (filter.taints === 'Ignore' || untolerated(taints, owner.tolerations).length === 0)
    }
    return [...new Set(machines.filter(passes).flatMap(({ labels }) => narrowedBy(labels, filter, key, algebra, wellKnown)))]
  }
}

/** The values that the label may have on such a machine. Of several values only those count that the filter admits. */
function narrowedBy(
  labels: Requirements,
  filter: Constraint['filter'],
  key: string,
  algebra: Algebra,
  wellKnown: ReadonlySet<string>,
): readonly string[] {
  const own = labels.get(key)
  if (own === undefined || own.complement) return []
  const isAdmitted = (value: string): boolean => {
    const one = new Map([...labels, [key, { key, complement: false, values: [value] }]])
    return filter?.requirements.some((each) => algebra.compatible(one, each, wellKnown)) ?? true
  }
  return filter?.affinity === 'Honor' ? own.values.filter(isAdmitted) : own.values
}

/** Karpenter counts every listed value of any pool and size, with the taints of the pool, whatever the pod selects. */
function anyDomain({ pools, snapshot, algebra }: UniverseInput): Universe {
  const universe = new Map<string, Map<string, (readonly Taint[])[]>>()
  const insert = (requirement: Requirement, taints: readonly Taint[]): void => {
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
  return ({ key, filter }, { tolerations }) => {
    const bears = (guards: readonly (readonly Taint[])[]): boolean => guards.some((taints) => untolerated(taints, tolerations).length === 0)
    const domains = [...(universe.get(key) ?? [])]
    return domains.filter(([, guards]) => filter?.taints !== 'Honor' || bears(guards)).map(([domain]) => domain)
  }
}

/** Adds a set of taints. A domain that is available without taints keeps only the empty set. */
function joined(known: (readonly Taint[])[] | undefined, taints: readonly Taint[]): (readonly Taint[])[] {
  if (known === undefined || taints.length === 0) return [taints]
  return known[0]?.length === 0 ? known : [...known, taints]
}
