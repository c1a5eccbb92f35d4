import { defined } from '../../shared/base/values.ts'
import { DEFAULT_MACHINE_NAMES, instanceNameOf, nodeClaimName, nodeName } from '../../shared/model/ids.ts'
import { FINALIZER, LABEL, type Meta } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import { condition } from './condition.ts'
import { meta } from './meta.ts'
import { machineLabels, providerIdOf } from './nodeClaim.ts'
import { resources } from './resources.ts'

export type NodeShape = Partial<Omit<Node, 'name' | 'meta'>> & {
  /** Name of the claim of the node. The node is named and labelled as the registered and initialized node of that claim. */
  readonly claim?: string
  /** Name of a node without a claim. */
  readonly name?: string
  readonly nodePool?: string
  readonly size?: string
  readonly zone?: string
  readonly capacityType?: string
  readonly initialized?: boolean
  readonly ready?: boolean
  readonly meta?: Partial<Meta>
}

/** A ready Standard_D4as_v6. It is the node of claim `default-aaaaa`, unless `name` makes it a node without a claim. */
export function node(shape: NodeShape = {}): Node {
  const { claim, name, nodePool = 'default', size, zone, capacityType, initialized = true, ready = true, meta: head, ...overrides } = shape
  const owner = name === undefined ? (claim ?? 'default-aaaaa') : undefined
  const own = name ?? instanceNameOf(nodeClaimName(owner ?? ''), DEFAULT_MACHINE_NAMES)
  return {
    name: nodeName(own),
    meta: meta(own, {
      ...(owner === undefined ? {} : { finalizers: [FINALIZER] }),
      ...head,
      labels: {
        ...machineLabels(defined({ size, zone, capacityType })),
        [LABEL.hostname]: own,
        ...(owner === undefined ? {} : ownedLabels(nodePool, initialized)),
        ...head?.labels,
      },
    }),
    ...(owner === undefined ? {} : { providerId: providerIdOf(owner) }),
    taints: [],
    unschedulable: false,
    capacity: resources(4, 16, { pods: 110 }),
    allocatable: resources(3.86, 13, { pods: 110 }),
    conditions: [condition('Ready', { status: ready ? 'True' : 'False' })],
    ...overrides,
  }
}

function ownedLabels(nodePool: string, initialized: boolean) {
  return {
    [LABEL.nodePool]: nodePool,
    [LABEL.nodeClass]: 'default',
    [LABEL.registered]: 'true',
    ...(initialized ? { [LABEL.initialized]: 'true' } : {}),
  }
}
