import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { loadPlanning } from './state/planningState.ts'

/** Claims that pods without a place would go to, and whether any of those pods is there already. */
export function claimsExpectingPods(snapshot: ClusterSnapshot): ReadonlyMap<NodeClaimName, 'pods' | 'buffers'> {
  const { isReal, provisioning } = loadPlanning(snapshot.objects).plan(snapshot)
  const expecting = new Map<NodeClaimName, 'pods' | 'buffers'>()
  for (const { pod, target } of provisioning?.assigned().onTargets ?? []) {
    if (target.claim === undefined || expecting.get(target.claim) === 'pods') continue
    expecting.set(target.claim, isReal(pod) ? 'pods' : 'buffers')
  }
  return expecting
}
