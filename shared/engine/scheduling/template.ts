/** A NodePool as the machines it can make: what every claim of it carries, and the sizes that may serve. */
import { byKey, inOrder } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { NODE_POOL_HASH_VERSION, nodePoolHash } from '../../model/driftHash.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { ANNOTATION, LABEL, UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import { add, type Resources, subtract } from '../../model/resources.ts'
import { usableOfferings } from '../offering/usableOfferings.ts'
import type { Amounts, Axes } from './amounts.ts'
import { type Daemon, overheadOfSize } from './daemonOverhead.ts'

export type Template = {
  readonly id: number
  readonly pool: NodePool
  readonly weight: number
  readonly labels: Labels
  readonly annotations: Labels
  /** Requirements and labels of the pool, and what is true of every registered node. */
  readonly requirements: Requirements
  readonly hasMinValues: boolean
  /** Sizes the pool admits, whether or not they can be bought now; by name. */
  readonly sizes: readonly Size[]
}

export type Size = {
  /** Position in the template's list. */
  readonly index: number
  readonly type: InstanceType
  readonly requirements: Requirements
  /** What daemons take. */
  readonly overhead: Resources
  /** What is left for pods, on the axes of the decision. */
  readonly free: Amounts
  /** Daemons alone do not overdraw it. */
  readonly isUsable: boolean
  /** Those that can be bought now, preferred first. */
  readonly offerings: readonly { readonly offering: Offering; readonly requirements: Requirements }[]
}

/** Simulation only: lets pods and daemons that select registered nodes match. Never written to a claim. */
export const SIMULATED_LABELS: Labels = { [LABEL.registered]: 'true', [LABEL.initialized]: 'true' }

/** Heavier first; of equal weights the later name, as Karpenter has it. */
export const byPoolOrder = inOrder<NodePool>(
  (first, second) => (second.weight ?? 0) - (first.weight ?? 0),
  (first, second) => -byKey<NodePool>((each) => each.name)(first, second),
)

export type TemplateInput = { readonly snapshot: ClusterSnapshot; readonly daemons: readonly Daemon[]; readonly axes: Axes }

export function templateOf(pool: NodePool, id: number, input: TemplateInput): Template {
  const { template } = pool
  const { nodeClassRef } = template
  const labels = {
    ...template.labels,
    [LABEL.nodePool]: pool.name,
    [`${nodeClassRef.group}/${nodeClassRef.kind.toLowerCase()}`]: nodeClassRef.name,
  }
  const requirements = intersectAll(requirementsFrom(template.requirements), requirementsFromLabels({ ...labels, ...SIMULATED_LABELS }))
  return {
    id,
    pool,
    weight: pool.weight ?? 0,
    labels,
    annotations: {
      ...template.annotations,
      [ANNOTATION.nodePoolHash]: nodePoolHash(pool),
      [ANNOTATION.nodePoolHashVersion]: NODE_POOL_HASH_VERSION,
    },
    requirements,
    hasMinValues: [...requirements.values()].some((each) => each.minValues !== undefined),
    sizes: sizesOf(pool, requirements, input),
  }
}

function sizesOf(pool: NodePool, requirements: Requirements, { snapshot, daemons, axes }: TemplateInput): readonly Size[] {
  const types = snapshot.instanceTypes.get(pool.template.nodeClassRef.name) ?? []
  return [...types]
    .sort(byKey((type) => type.name))
    .map((type) => ({ type, ofType: new Map(type.requirements.map((each) => [each.key, each])) }))
    .filter(({ ofType }) => overlapConflicts(ofType, requirements).length === 0)
    .map(({ type, ofType }, index) => {
      const overhead = overheadOfSize(daemons, requirements, pool.template.taints, ofType)
      const left = subtract(type.capacity, add(type.overhead, overhead))
      return {
        index,
        type,
        requirements: ofType,
        overhead,
        free: axes.amounts(left),
        isUsable: Object.values(left).every((amount) => amount >= 0),
        offerings: usableOfferings(type, snapshot.unavailable, snapshot.takenAt)
          .map((offering) => ({ offering, requirements: new Map(offering.requirements.map((each) => [each.key, each])) }))
          .filter((each) => conflicts(requirements, each.requirements, UNDEFINED_ALLOWED_LABELS).length === 0),
      }
    })
}
