import type { ClaimAction, NodePatch } from '../../model/claimStep.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { DISRUPTED_TAINT } from '../pod/podPredicates.ts'

/** The label that takes a node out of load balancers, with the value that Karpenter writes. */
export const EXCLUDED = { [LABEL.excludeFromLoadBalancers]: 'karpenter' } as const

/** Closes a node: it gets no new pods and no traffic from load balancers, and its deletion is requested, so that everyone can see it. */
export function closeNode(node: Node): readonly ClaimAction[] {
  const isTainted = node.taints.some((taint) => taint.key === DISRUPTED_TAINT.key && taint.effect === DISRUPTED_TAINT.effect)
  const isExcluded = node.meta.labels[LABEL.excludeFromLoadBalancers] !== undefined
  const patch: NodePatch = {
    taints: [...node.taints.filter((taint) => taint.key !== DISRUPTED_TAINT.key), DISRUPTED_TAINT],
    labels: { ...node.meta.labels, ...EXCLUDED },
  }
  return [
    ...(isTainted && isExcluded ? [] : [{ kind: 'patchNode', node, patch } as const]),
    ...(node.meta.deletedAt === undefined ? [{ kind: 'deleteNode', node } as const] : []),
  ]
}
