import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { Reason } from '../../../../model/decision.ts'
import type { NodeClassName } from '../../../../model/ids.ts'
import type { InstanceType } from '../../../../model/instanceType.ts'
import { foreignClass } from '../../../../model/nodeClass.ts'
import { CREATION_PAUSED, type NodePool } from '../../../../model/nodePool.ts'
import type { ProblemCode } from '../../../../model/problem.ts'
import { intersectAll, requirementsFrom, requirementsFromLabels } from '../../../../model/requirements.ts'
import { impossibleRequirements } from '../../../offering/possibleSizes.ts'
import { outOfQuota } from '../../../offering/quota.ts'
import type { TypesOf } from '../../../overlay/overlaidTypes.ts'
import { type Axes, isEmpty } from '../quantities/amounts.ts'
import type { Catalog } from './catalog.ts'
import type { Daemon } from './daemons.ts'
import { byPoolOrder, type Template, templateOf } from './template.ts'
import { type DomainSource, domainSource } from './universe.ts'

export type Pools = {
  /** The pools that may make machines now, in the order in which pods are offered to them. */
  readonly templates: readonly Template[]
  /** Every pool that is ready, with the sizes of its NodeClass. */
  readonly sources: readonly DomainSource[]
  /** Each pool that makes no machines now, and why. */
  readonly refused: readonly RefusedPool[]
}

export type RefusedPool = { readonly pool: NodePool; readonly reason: Reason }

export type PoolObjects = Pick<ClusterSnapshot['objects'], 'nodePool' | 'nodeClass'>

export type PoolInput = {
  readonly objects: PoolObjects
  readonly typesOf: TypesOf
  /** Returns the catalog of these types for machines of the NodeClass. Pools without overlays of their own have the same types, and share one. */
  readonly catalogFor: (types: readonly InstanceType[], nodeClass: NodeClassName) => Catalog
  readonly daemons: readonly Daemon[]
  readonly axes: Axes
}

/** Splits the pools into pools that may make machines now and pools that may not. */
export function poolsOf({ objects, typesOf, catalogFor, daemons, axes }: PoolInput): Pools {
  const templates: Template[] = []
  const sources: DomainSource[] = []
  const refused: RefusedPool[] = []
  for (const pool of [...objects.nodePool].sort(byPoolOrder)) {
    const types = typesOf(pool.name, pool.template.nodeClassRef.name)
    const reason = staticRefusal(pool) ?? poolRefusal(pool, objects, types)
    if (reason !== undefined) {
      refused.push({ pool, reason })
      continue
    }
    const catalog = catalogFor(types, pool.template.nodeClassRef.name)
    sources.push(domainSource(pool, catalog))
    const template = templateOf(pool, templates.length, { catalog, daemons, axes })
    if (!isEmpty(template.types)) templates.push(template)
    else refused.push({ pool, reason: noInstanceType(pool, types) })
  }
  return { templates, sources, refused }
}

/** Why a static pool makes no machine for a pod. Pods may run on its nodes. Undefined for any other pool. */
function staticRefusal(pool: NodePool): Reason | undefined {
  if (pool.meta.deletedAt !== undefined || pool.replicas === undefined) return undefined
  return reasonOf(pool, 'POOL.STATIC', `spec.replicas is ${pool.replicas}: a static nodepool makes no nodes for pods`)
}

/** Why the pool can make no machine now, whatever the machine is for. Undefined if it can. */
export function poolRefusal(pool: NodePool, objects: PoolObjects, types: readonly InstanceType[]): Reason | undefined {
  const { nodeClassRef } = pool.template
  if (pool.meta.deletedAt !== undefined) return reasonOf(pool, 'POOL.NOT_READY', 'it is being deleted')
  const foreign = foreignClass(nodeClassRef)
  if (foreign !== undefined) return reasonOf(pool, 'NODECLASS.NOT_FOUND', foreign)
  const nodeClass = objects.nodeClass.find((each) => each.name === nodeClassRef.name)
  if (nodeClass === undefined) return reasonOf(pool, 'NODECLASS.NOT_FOUND', `aksnodeclass ${nodeClassRef.name} does not exist`)
  const unready = nodeClass.meta.deletedAt !== undefined ? 'it is being deleted' : notReady(nodeClass.status.conditions)
  if (unready !== undefined) return reasonOf(pool, 'NODECLASS.NOT_READY', `aksnodeclass ${nodeClass.name} is not ready: ${unready}`)
  const poolUnready = notReady(pool.status.conditions)
  if (poolUnready !== undefined) return reasonOf(pool, 'POOL.NOT_READY', `it is not ready: ${poolUnready}`)
  const pause = pool.status.conditions.find(({ type, status }) => type === CREATION_PAUSED && status === 'True')
  if (pause !== undefined) return reasonOf(pool, 'POOL.PAUSED', pause.message)
  if (types.length > 0) return undefined
  return reasonOf(pool, 'NODECLASS.NOT_READY', `no instance types are known for aksnodeclass ${nodeClassRef.name}`)
}

/** The reason of a pool without a size: its requirements admit none, or the quota is exhausted for each. */
export function noInstanceType(pool: NodePool, types: readonly InstanceType[]): Reason {
  const { requirements, labels } = pool.template
  const asked = intersectAll(requirementsFrom(requirements), requirementsFromLabels(labels))
  const short = outOfQuota(types, asked)
  if (short === undefined) {
    const why = impossibleRequirements(pool, types) ?? 'no size that its requirements allow can be bought now'
    return reasonOf(pool, 'POOL.NO_INSTANCE_TYPE', why)
  }
  return { ...reasonOf(pool, short.code, short.message), fields: short.fields }
}

function notReady(conditions: NodePool['status']['conditions']): string | undefined {
  const ready = conditions.find((each) => each.type === 'Ready')
  if (ready?.status === 'True') return undefined
  return ready === undefined ? 'its condition Ready is not set yet' : ready.message || ready.reason
}

/** A reason about the pool: why it makes no machine. */
export function reasonOf(pool: NodePool, code: ProblemCode, message: string): Reason {
  return { code, subject: { kind: 'nodePool', name: pool.name }, message }
}
