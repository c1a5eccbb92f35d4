/** Sizes with what a claim compares them by, and the filter that keeps those which still serve. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import type { Requirements } from '../../shared/model/requirements.ts'
import { add, fits, type Resources, subtract } from '../../shared/model/resources.ts'
import type { Algebra } from './algebra.ts'
import type { Attached } from './volumes.ts'

export type TypeView = {
  readonly type: InstanceType
  readonly requirements: Requirements
  readonly allocatable: Resources
  /** Those that can be had now. */
  readonly offerings: readonly OfferingView[]
}

export type OfferingView = { readonly offering: Offering; readonly requirements: Requirements }

/** What a claim with one more pod would ask of a size; the daemons of the size come on top. */
export type Demand = {
  readonly requirements: Requirements
  readonly requests: Resources
  readonly overheadOf: (view: TypeView) => Resources
  /** Undefined: nobody counts disks. */
  readonly attached: Attached | undefined
}

/** The driver whose volumes are data disks of the machine. */
export const DISK_DRIVER = 'disk.csi.azure.com'

export function typeView(type: InstanceType, { unavailable, takenAt }: ClusterSnapshot): TypeView {
  const blocks = unavailable.filter((each) => each.until > takenAt)
  const offerings = type.offerings.filter(
    (offering) =>
      offering.available &&
      !blocks.some(({ scope }) => {
        if (scope.capacityType !== undefined && scope.capacityType !== offering.capacityType) return false
        if (scope.kind === 'capacityType') return true
        if (scope.zone !== undefined && scope.zone !== offering.zone) return false
        return scope.kind === 'offering' ? scope.size === type.name : scope.family === type.family && type.cpus >= scope.minCpus
      }),
  )
  return {
    type,
    requirements: new Map(type.requirements.map((each) => [each.key, each])),
    allocatable: allocatableOf(type),
    offerings: offerings.map((offering) => ({ offering, requirements: new Map(offering.requirements.map((each) => [each.key, each])) })),
  }
}

export function servingTypes(
  types: readonly TypeView[],
  demand: Demand,
  algebra: Algebra,
  wellKnown: ReadonlySet<string>,
): readonly TypeView[] {
  return types.filter(
    (view) =>
      algebra.overlaps(view.requirements, demand.requirements) &&
      fits(add(demand.requests, demand.overheadOf(view)), view.allocatable) &&
      disksOf(demand.attached) <= (view.type.maxDataDisks ?? Number.POSITIVE_INFINITY) &&
      view.offerings.some((each) => algebra.compatible(demand.requirements, each.requirements, wellKnown)),
  )
}

/** Distinct values the sizes have for each key with minValues that has too few. Values count as the sizes state them. */
export function shortOfValues(types: readonly TypeView[], requirements: Requirements): ReadonlyMap<string, number> {
  const short = new Map<string, number>()
  if (types.length === 0) return short
  for (const { key, minValues } of requirements.values()) {
    if (minValues === undefined) continue
    const values = new Set(types.flatMap((view) => view.requirements.get(key)?.values ?? []))
    if (values.size < minValues) short.set(key, values.size)
  }
  return short
}

function disksOf(attached: Attached | undefined): number {
  return attached?.get(DISK_DRIVER)?.size ?? 0
}

/** Huge pages are taken out of memory. */
function allocatableOf(type: InstanceType): Resources {
  const free = subtract(type.capacity, type.overhead)
  const pages = Object.keys(type.capacity).filter((name) => name.startsWith('hugepages-'))
  if (pages.length === 0) return free
  const taken = pages.reduce((sum, name) => sum + (type.capacity[name] ?? 0), 0)
  return { ...free, memory: Math.max(0, (free['memory'] ?? 0) - taken) }
}
