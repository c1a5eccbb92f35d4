import type { Condition } from './condition.ts'
import type { NodeName, ProviderId } from './ids.ts'
import { LABEL, TAINT_KEY } from './labels.ts'
import type { Meta } from './meta.ts'
import type { Resources } from './resources.ts'
import type { Taint } from './taint.ts'

export type Node = {
  readonly name: NodeName
  readonly meta: Meta
  readonly providerId?: ProviderId
  readonly taints: readonly Taint[]
  readonly unschedulable: boolean
  readonly capacity: Resources
  readonly allocatable: Resources
  /** Without the heartbeat: a condition's time moves only when its status does. */
  readonly conditions: readonly Condition[]
}

/** It carries a pool or a class of ours: a node of a claim of no pool has its class alone. */
export function isManaged({ meta }: Pick<Node, 'meta'>): boolean {
  return meta.labels[LABEL.nodePool] !== undefined || meta.labels[LABEL.nodeClass] !== undefined
}

/** A machine of ours made it, or will have: AKS names the nodes of its own pools alike. */
export function isMachineOfOurs({ meta, taints }: Pick<Node, 'meta' | 'taints'>): boolean {
  return isManaged({ meta }) || taints.some(({ key }) => key === TAINT_KEY.unregistered)
}

/** On its way from its first sign of life to the moment when it may run what it was made for. */
export function isJoining(node: Node): boolean {
  return isMachineOfOurs(node) && node.meta.labels[LABEL.initialized] !== 'true' && node.meta.deletedAt === undefined
}
