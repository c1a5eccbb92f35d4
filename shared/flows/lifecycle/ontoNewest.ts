import type { ClaimAction } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { rebasedMeta, rebasedStatus } from '../../model/rebase.ts'

/**
 * An action that was decided on an earlier version of the claim, for the version that the last write of the same step returned. That version has what
 * other clients wrote meanwhile. Undefined if another client changed what the action changes.
 */
export function ontoNewest<Action extends ClaimAction>(action: Action, decidedOn: NodeClaim, newest: NodeClaim): Action | undefined {
  if (decidedOn === newest) return action
  if (action.kind === 'patchStatus') {
    const status = rebasedStatus(decidedOn.status, newest.status, action.status)
    return status && { ...action, status }
  }
  if (action.kind !== 'patchClaim') return action
  const { labels, annotations } = action
  const patch = rebasedMeta(decidedOn.meta, newest.meta, { labels, annotations })
  return patch && { ...action, ...patch }
}
