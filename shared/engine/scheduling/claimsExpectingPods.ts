import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { batchOf } from './batch.ts'
import { planProvisioning } from './planProvisioning.ts'

/** Claims that pods without a place would go to, and whether any of those pods is there already. */
export function claimsExpectingPods(snapshot: ClusterSnapshot): ReadonlyMap<NodeClaimName, 'pods' | 'buffers'> {
  const { machines, pods, isReal } = batchOf(snapshot)
  const expecting = new Map<NodeClaimName, 'pods' | 'buffers'>()
  if (pods.length === 0) return expecting
  for (const { pod, target } of planProvisioning(snapshot, pods, machines).assignment.onTargets) {
    if (target.claim === undefined || expecting.get(target.claim) === 'pods') continue
    expecting.set(target.claim, isReal(pod) ? 'pods' : 'buffers')
  }
  return expecting
}
