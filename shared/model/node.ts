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
  /** Without heartbeat times: the time of a condition changes only with its status. */
  readonly conditions: readonly Condition[]
  /** As the kubelet reports it: `v1.34.2`. Undefined if it is not known. */
  readonly kubeletVersion?: string
}

/** Reports whether the node has a pool or class label of Joiner. The node of a claim without a pool has a class label only. */
export function isManaged({ meta }: Pick<Node, 'meta'>): boolean {
  return meta.labels[LABEL.nodePool] !== undefined || meta.labels[LABEL.nodeClass] !== undefined
}

/**
 * Reports whether the node belongs to a machine of Joiner, or will once it is registered. The name does not tell, since AKS names nodes of its own
 * pools alike.
 */
export function isMachineOfOurs({ meta, taints }: Pick<Node, 'meta' | 'taints'>): boolean {
  return isManaged({ meta }) || taints.some(({ key }) => key === TAINT_KEY.unregistered)
}

/** Reports whether the node has appeared and is not initialized yet. */
export function isJoining(node: Node): boolean {
  return isMachineOfOurs(node) && node.meta.labels[LABEL.initialized] !== 'true' && node.meta.deletedAt === undefined
}
