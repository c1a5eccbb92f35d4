import {
  DEFAULT_MACHINE_NAMES,
  instanceNameOf,
  type NodeName,
  nodeClaimName,
  nodeName,
  type ProviderId,
  providerId,
  vmSizeName,
} from '../../shared/model/ids.ts'
import { FINALIZER, LABEL, type Labels, type Meta } from '../../shared/model/labels.ts'
import type { NodeClaim, NodeClaimSpec, NodeClaimStatus } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import { HOUR } from './clock.ts'
import { condition } from './condition.ts'
import { meta } from './meta.ts'
import { nodeClassRef } from './nodePool.ts'
import { resources } from './resources.ts'

export type ClaimStage = 'created' | 'launched' | 'registered' | 'initialized'

export type NodeClaimShape = {
  readonly name?: string
  readonly nodePool?: string
  readonly nodeClass?: string
  /** The stage of the claim's life. Absent: `initialized`. */
  readonly stage?: ClaimStage
  readonly size?: string
  readonly zone?: string
  readonly capacityType?: string
  readonly meta?: Partial<Meta>
  readonly spec?: Partial<NodeClaimSpec>
  readonly status?: Partial<NodeClaimStatus>
}

/** A claim of pool `default` for a Standard_D4as_v6. `node()` with the same name is its node. */
export function nodeClaim(shape: NodeClaimShape = {}): NodeClaim {
  const { name = 'default-aaaaa', nodePool = 'default', nodeClass = 'default', stage = 'initialized' } = shape
  const launched = stage !== 'created'
  return {
    name: nodeClaimName(name),
    meta: meta(name, {
      finalizers: [FINALIZER],
      ...shape.meta,
      labels: {
        [LABEL.nodePool]: nodePool,
        [LABEL.nodeClass]: nodeClass,
        ...(launched ? machineLabels(shape) : {}),
        ...shape.meta?.labels,
      },
    }),
    spec: {
      nodeClassRef: nodeClassRef(nodeClass),
      requirements: [{ key: LABEL.instanceType, operator: 'In', values: [shape.size ?? DEFAULT_SIZE] }],
      requests: resources(1, 1, { pods: 1 }),
      taints: [],
      startupTaints: [],
      expireAfter: durationMs(720 * HOUR),
      ...shape.spec,
    },
    status: {
      conditions: conditionsOf(stage),
      capacity: launched ? resources(4, 16, { pods: 110 }) : {},
      allocatable: launched ? resources(3.86, 13, { pods: 110 }) : {},
      ...(launched ? { providerId: providerIdOf(name) } : {}),
      ...(stage === 'registered' || stage === 'initialized' ? { nodeName: nodeNameOf(name) } : {}),
      ...shape.status,
    },
  }
}

export const DEFAULT_SIZE = vmSizeName('Standard_D4as_v6')

export function nodeNameOf(claim: string): NodeName {
  return nodeName(instanceNameOf(nodeClaimName(claim), DEFAULT_MACHINE_NAMES))
}

export function providerIdOf(claim: string): ProviderId {
  const name = instanceNameOf(nodeClaimName(claim), DEFAULT_MACHINE_NAMES)
  return providerId(`azure:///subscriptions/s/resourceGroups/mc_test/providers/Microsoft.Compute/virtualMachines/${name}`)
}

/** The labels of a launched machine. */
export function machineLabels(shape: { readonly size?: string; readonly zone?: string; readonly capacityType?: string }): Labels {
  return {
    [LABEL.instanceType]: shape.size ?? DEFAULT_SIZE,
    [LABEL.zone]: shape.zone ?? 'eastus-1',
    [LABEL.capacityType]: shape.capacityType ?? 'on-demand',
    [LABEL.arch]: 'amd64',
    [LABEL.os]: 'linux',
  }
}

function conditionsOf(stage: ClaimStage): NodeClaim['status']['conditions'] {
  const reached = { created: 0, launched: 1, registered: 2, initialized: 4 }[stage]
  return ['Launched', 'Registered', 'Initialized', 'ConsistentStateFound'].slice(0, reached).map((type) => condition(type))
}
