import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { loadPlanning } from './planningState.ts'

/** Places the pods that wait, on what is there and on new claims, as cheaply as it can; says why where it cannot. */
export function decideProvisioning(snapshot: ClusterSnapshot): Decision {
  return loadPlanning(snapshot.objects).decide(snapshot)
}
