import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { loadPlanning } from './planningState.ts'

/** Places the waiting pods on existing nodes and on new claims, as cheaply as it can. Gives a reason for each pod that it cannot place. */
export function decideProvisioning(snapshot: ClusterSnapshot): Decision {
  return loadPlanning(snapshot.objects).decide(snapshot)
}
