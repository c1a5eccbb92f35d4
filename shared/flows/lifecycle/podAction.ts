import type { ClaimAction } from '../../model/claimStep.ts'

/** Pods of one node that are taken away beside each other. */
export const PODS_AT_ONCE = 8

/** A pod is taken off a node that ends. */
export type PodAction = Extract<ClaimAction, { readonly kind: 'evictPod' | 'deletePod' }>

export function isPodAction(action: ClaimAction): action is PodAction {
  return action.kind === 'evictPod' || action.kind === 'deletePod'
}
