/** The pools that can make machines now, kept until something they are made of changes. */
import { isSame } from '../../../../base/values.ts'
import type { DecisionContext } from '../../../../model/clusterSnapshot.ts'
import type { NodeClassName } from '../../../../model/ids.ts'
import type { InstanceType } from '../../../../model/instanceType.ts'
import type { DemotedSize } from '../../../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../../../model/unavailableOffering.ts'
import { refusalsForClass } from '../../../offering/sizeReports.ts'
import type { TypesOf } from '../../../overlay/overlaidTypes.ts'
import { type Catalog, catalogOf, lastingRefusals, type Made } from '../catalog/catalog.ts'
import type { Daemon } from '../catalog/daemons.ts'
import { initialTemplate, type NarrowedTemplate } from '../catalog/narrowedTemplate.ts'
import { type PoolObjects, type Pools, poolsOf } from '../catalog/pools.ts'
import type { Axes } from '../quantities/amounts.ts'

export type PoolsNow = Pools & {
  /** For each template, a claim before its first pod. */
  readonly narrowedTemplates: readonly NarrowedTemplate[]
}

export type PoolSources = {
  readonly objects: PoolObjects
  readonly typesOf: TypesOf
  readonly daemons: readonly Daemon[]
}

export interface PoolCache {
  of(sources: PoolSources, context: DecisionContext, axes: Axes): PoolsNow
  forget(): void
  /** The count of narrowed templates made so far. */
  readonly made: Readonly<Made>
}

export function createPoolCache(): PoolCache {
  const catalogs = new Map<NodeClassName | undefined, Map<readonly InstanceType[], Catalog>>()
  const byAxes = new Map<string, PoolsNow>()
  const made: Made = { narrowedTemplates: 0 }
  let remembered = 0
  let last: PoolSources | undefined
  let sale: Sale = { blocked: [], lasting: [], demoted: [], nodeCost: undefined }

  function forget(): void {
    remembered = made.narrowedTemplates
    catalogs.clear()
    byAxes.clear()
  }

  function make(sources: PoolSources, context: DecisionContext, axes: Axes): PoolsNow {
    const refusedOfClass = new Set(context.unavailable.map(({ scope }) => scope.nodeClass?.name))
    const catalogFor = (types: readonly InstanceType[], nodeClass: NodeClassName): Catalog => {
      // NodeClasses without refusals of their own share catalogs.
      const own = refusedOfClass.has(nodeClass) ? nodeClass : undefined
      const ofClass = catalogs.get(own) ?? new Map<readonly InstanceType[], Catalog>()
      catalogs.set(own, ofClass)
      const known =
        ofClass.get(types) ??
        catalogOf(
          types,
          { ...context, nodeCost: context.settings.nodeCost, unavailable: refusalsForClass(context.unavailable, nodeClass) },
          made,
        )
      ofClass.set(types, known)
      return known
    }
    const pools = poolsOf({ ...sources, catalogFor, axes })
    return { ...pools, narrowedTemplates: pools.templates.map(initialTemplate) }
  }

  return {
    of(sources, context, axes) {
      const saleNow = saleOf(context)
      const isFull = made.narrowedTemplates - remembered > MOST_COMBINATIONS
      if (isFull || !isSame(saleNow, sale) || sources.typesOf !== last?.typesOf) forget()
      const isOther = sources.daemons !== last?.daemons || !isSameObjects(sources.objects, last.objects)
      if (isOther || byAxes.size >= MOST_AXES) byAxes.clear()
      sale = saleNow
      last = sources
      const known = byAxes.get(axes.key) ?? make(sources, context, axes)
      byAxes.set(axes.key, known)
      return known
    },
    forget,
    made,
  }
}

/** What is not sold now or comes last, as far as catalogs depend on it. */
type Sale = {
  readonly blocked: readonly UnavailableOffering[]
  readonly lasting: readonly UnavailableOffering[]
  readonly demoted: readonly DemotedSize[]
  readonly nodeCost: number | undefined
}

function saleOf({ unavailable, demoted = [], takenAt, settings: { nodeCost } }: DecisionContext): Sale {
  const blocked = unavailable.filter(({ until }) => until > takenAt)
  return { blocked, lasting: lastingRefusals(blocked, takenAt), demoted, nodeCost }
}

/** The most narrowed templates that are remembered. Each lists its sizes, and what pods ask for changes over the months. */
const MOST_COMBINATIONS = 20_000

/** The most sets of axes that pools are kept for. */
const MOST_AXES = 4

function isSameObjects(first: PoolObjects, second: PoolObjects): boolean {
  return first.nodePool === second.nodePool && first.nodeClass === second.nodeClass
}
