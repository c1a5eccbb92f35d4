import type { NodeClaimName } from '../../model/ids.ts'
import type { Planned } from './planningState.ts'

/** The claims where pods without a place would go by this plan. `pods` if any of these pods exists, `buffers` if all are pods of buffers. */
export function claimsExpectingPods({ isReal, provisioning }: Planned): ReadonlyMap<NodeClaimName, 'pods' | 'buffers'> {
  const expecting = new Map<NodeClaimName, 'pods' | 'buffers'>()
  for (const { pod, existingNode } of provisioning?.assigned().onExistingNodes ?? []) {
    if (existingNode.claim === undefined || expecting.get(existingNode.claim) === 'pods') continue
    expecting.set(existingNode.claim, isReal(pod) ? 'pods' : 'buffers')
  }
  return expecting
}
