import type { NodeClaimName } from '../../model/ids.ts'
import type { Planned } from './planningState.ts'

/** Claims that pods without a place would go to by this plan, and whether any of those pods is there already. */
export function claimsExpectingPods({ isReal, provisioning }: Planned): ReadonlyMap<NodeClaimName, 'pods' | 'buffers'> {
  const expecting = new Map<NodeClaimName, 'pods' | 'buffers'>()
  for (const { pod, target } of provisioning?.assigned().onTargets ?? []) {
    if (target.claim === undefined || expecting.get(target.claim) === 'pods') continue
    expecting.set(target.claim, isReal(pod) ? 'pods' : 'buffers')
  }
  return expecting
}
