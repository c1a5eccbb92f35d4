import type { ClaimAction } from '../../model/claimStep.ts'

/** A pod is taken off a node that ends. */
export type PodAction = Extract<ClaimAction, { readonly kind: 'evictPod' | 'deletePod' }>

export function isPodAction(action: ClaimAction): action is PodAction {
  return action.kind === 'evictPod' || action.kind === 'deletePod'
}
