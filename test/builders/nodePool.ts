import { nodePoolHashAnnotations } from '../../shared/model/driftHash.ts'
import { nodeClassName, nodePoolName } from '../../shared/model/ids.ts'
import { API_GROUP, type Meta, NODE_CLASS_KIND } from '../../shared/model/labels.ts'
import type { DisruptionPolicy, NodeClaimTemplate, NodeClassRef, NodePool } from '../../shared/model/nodePool.ts'
import { durationMs } from '../../shared/model/units.ts'
import { withStarts } from '../../shared/wire/objects/schedule.ts'
import { HOUR } from './clock.ts'
import { condition } from './condition.ts'
import { meta } from './meta.ts'

export type NodePoolShape = Partial<Omit<NodePool, 'name' | 'meta' | 'template' | 'disruption'>> & {
  readonly name?: string
  readonly nodeClass?: string
  readonly meta?: Partial<Meta>
  readonly template?: Partial<NodeClaimTemplate>
  readonly disruption?: Partial<DisruptionPolicy>
}

/** A ready NodePool without limits, requirements or taints, of NodeClass `default`. It has the annotations of its hash, unless the shape has annotations. */
export function nodePool(shape: NodePoolShape = {}): NodePool {
  const { name = 'default', nodeClass = 'default', meta: head, template: own, disruption, ...overrides } = shape
  const template: NodeClaimTemplate = {
    labels: {},
    annotations: {},
    requirements: [],
    taints: [],
    startupTaints: [],
    nodeClassRef: nodeClassRef(nodeClass),
    expireAfter: durationMs(720 * HOUR),
    ...own,
  }
  return {
    name: nodePoolName(name),
    meta: meta(name, { annotations: nodePoolHashAnnotations({ template }), ...head }),
    template,
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: durationMs(0),
      ...disruption,
      budgets: (disruption?.budgets ?? [{ nodes: '10%' }]).map(withStarts),
    },
    limits: {},
    status: { conditions: [condition('ValidationSucceeded'), condition('NodeClassReady'), condition('Ready')], resources: {} },
    ...overrides,
  }
}

export function nodeClassRef(name: string): NodeClassRef {
  return { group: API_GROUP.azure, kind: NODE_CLASS_KIND, name: nodeClassName(name) }
}
