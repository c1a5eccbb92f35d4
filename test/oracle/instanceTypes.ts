/** Instance types with the fields that a claim compares, and the filter that keeps the types that still serve. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import { has, type Requirements } from '../../shared/model/requirements.ts'
import { add, fits, type Resources, subtract } from '../../shared/model/resources.ts'
import type { Algebra } from './algebra.ts'
import type { Quirks } from './oracleAnswer.ts'
import type { Attached } from './volumes.ts'

export type TypeView = {
  readonly type: InstanceType
  readonly requirements: Requirements
  readonly allocatable: Resources
  /** The offerings that are available now. */
  readonly offerings: readonly OfferingView[]
}

export type OfferingView = { readonly offering: Offering; readonly requirements: Requirements }

/** The requirements of a claim with one more pod. The overhead of the DaemonSets of the size is added to the requests. */
export type Demand = {
  readonly requirements: Requirements
  readonly requests: Resources
  readonly overheadOf: (view: TypeView) => Resources
  /** The volumes to attach. Undefined if disks are not counted. */
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

type Comparing = { readonly algebra: Algebra; readonly wellKnown: ReadonlySet<string>; readonly quirks: Quirks }

/** The keys with unmet minValues, each with its number of distinct values. Karpenter once counted the values of the sizes as they are. */
export function shortOfValues(
  types: readonly TypeView[],
  requirements: Requirements,
  { algebra, wellKnown, quirks }: Comparing,
): ReadonlyMap<string, number> {
  const short = new Map<string, number>()
  if (types.length === 0) return short
  for (const asked of requirements.values()) {
    const { key, minValues } = asked
    if (minValues === undefined) continue
    const usable = (view: TypeView): readonly string[] => {
      const offered = view.offerings.filter((each) => algebra.compatible(requirements, each.requirements, wellKnown))
      const ofOfferings = offered.flatMap((each) => each.requirements.get(key) ?? [])
      const listed = ofOfferings.length > 0 ? ofOfferings : [view.requirements.get(key)].filter((each) => each !== undefined)
      return listed.flatMap(({ values }) => values.filter((value) => has(asked, value)))
    }
    const all = (view: TypeView): readonly string[] => view.requirements.get(key)?.values ?? []
    const values = new Set(types.flatMap(quirks === 'upstream' ? all : usable))
    if (values.size < minValues) short.set(key, values.size)
  }
  return short
}

function disksOf(attached: Attached | undefined): number {
  return attached?.get(DISK_DRIVER)?.size ?? 0
}

/** Capacity minus overhead. Huge pages are subtracted from memory. */
function allocatableOf(type: InstanceType): Resources {
  const free = subtract(type.capacity, type.overhead)
  const pages = Object.keys(type.capacity).filter((name) => name.startsWith('hugepages-'))
  if (pages.length === 0) return free
  const taken = pages.reduce((sum, name) => sum + (ownValue(type.capacity, name) ?? 0), 0)
  return { ...free, memory: Math.max(0, (free['memory'] ?? 0) - taken) }
}
