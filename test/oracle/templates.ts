/** NodePools as claims begin: labels and requirements together, and the sizes that the pool admits. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { API_GROUP, LABEL, NODE_CLASS_KIND } from '../../shared/model/labels.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { type Requirements, requirementsFrom } from '../../shared/model/requirements.ts'
import { NO_RESOURCES } from '../../shared/model/resources.ts'
import type { Algebra } from './algebra.ts'
import { type DaemonGroup, groupOnNewMachine, NO_DAEMONS } from './daemons.ts'
import { servingTypes, shortOfValues, type TypeView, typeView } from './instanceTypes.ts'
import type { Quirks } from './oracleAnswer.ts'
import { labelRequirements } from './podNeeds.ts'

export type Template = {
  readonly pool: NodePool
  readonly requirements: Requirements
  readonly types: readonly TypeView[]
  readonly daemonsOf: (view: TypeView) => DaemonGroup
}

export const SIMULATED = { [LABEL.registered]: 'true', [LABEL.initialized]: 'true' }

/** Pools that may make machines, sorted by weight, the heaviest first, then by name, the last first. */
export function poolsInScope({ objects, instanceTypes }: ClusterSnapshot): readonly NodePool[] {
  return objects.nodePool
    .filter(({ meta, replicas, status, template: { nodeClassRef } }) => {
      const isOurs = nodeClassRef.group === API_GROUP.azure && nodeClassRef.kind === NODE_CLASS_KIND
      const isReady = status.conditions.some((each) => each.type === 'Ready' && each.status === 'True')
      return isOurs && isReady && meta.deletedAt === undefined && replicas === undefined && instanceTypes.has(nodeClassRef.name)
    })
    .sort((first, second) => (second.weight ?? 0) - (first.weight ?? 0) || (first.name < second.name ? 1 : -1))
}

/** The template of a pool. Undefined if no size is left. */
export function templateOf(
  pool: NodePool,
  snapshot: ClusterSnapshot,
  daemons: readonly Pod[],
  algebra: Algebra,
  wellKnown: ReadonlySet<string>,
  quirks: Quirks,
): Template | undefined {
  const requirements = templateRequirements(pool, algebra)
  const all = (snapshot.instanceTypes.get(pool.template.nodeClassRef.name) ?? []).map((type) => typeView(type, snapshot))
  const demand = { requirements, requests: NO_RESOURCES, overheadOf: () => NO_RESOURCES, attached: undefined }
  const types = servingTypes(all, demand, algebra, wellKnown)
  const isShort =
    snapshot.settings.minValuesPolicy === 'Strict' && shortOfValues(types, requirements, { algebra, wellKnown, quirks }).size > 0
  if (types.length === 0 || isShort) return undefined
  const base = { requirements, taints: pool.template.taints }
  const groups = new Map(types.map((view) => [view, groupOnNewMachine(daemons, base, view.requirements, algebra, wellKnown)]))
  return { pool, requirements, types, daemonsOf: (view) => groups.get(view) ?? NO_DAEMONS }
}

/** The requirements of the pool without those of its labels. */
export function poolRequirements({ template }: NodePool, algebra: Algebra): Requirements {
  return template.requirements.reduce<Requirements>((all, spec) => algebra.merge(all, requirementsFrom([spec])), new Map())
}

export function templateRequirements(pool: NodePool, algebra: Algebra): Requirements {
  const { labels, nodeClassRef } = pool.template
  const own = {
    ...labels,
    [LABEL.nodePool]: pool.name,
    [`${nodeClassRef.group}/${nodeClassRef.kind.toLowerCase()}`]: nodeClassRef.name,
    ...SIMULATED,
  }
  return algebra.merge(poolRequirements(pool, algebra), labelRequirements(own))
}
