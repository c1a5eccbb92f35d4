import type { ClaimAction } from '../../model/claimStep.ts'

/** The most pods of one node that are removed at the same time. */
export const PODS_AT_ONCE = 8

/** An action that removes a pod from a node. */
export type PodAction = Extract<ClaimAction, { readonly kind: 'evictPod' | 'deletePod' }>

export function isPodAction(action: ClaimAction): action is PodAction {
  return action.kind === 'evictPod' || action.kind === 'deletePod'
}
