import { fleetSnapshotOf } from '../../shared/engine/cluster/fleetSnapshot.ts'
import { decideDisruption } from '../../shared/engine/disruption/decideDisruption.ts'
import { claimsExpectingPods } from '../../shared/engine/scheduling/claimsExpectingPods.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import { decideStatus } from '../../shared/engine/status/decideStatus.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'

/** One part of a decision at a time. Each function loads its own planning state for the cluster. */
export function statusOf(snapshot: ClusterSnapshot): Decision {
  return decideStatus(fleetSnapshotOf(snapshot))
}

export function disruptionOf(snapshot: ClusterSnapshot): Decision {
  const planning = loadPlanning(snapshot.objects)
  const expecting = () => claimsExpectingPods(planning.plan(snapshot))
  return decideDisruption(fleetSnapshotOf(snapshot), {
    expecting,
    relocate: (machines) => planning.relocate(snapshot, machines),
    ending: new Set(),
  })
}
