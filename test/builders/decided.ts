import { fleetSnapshotOf } from '../../shared/engine/cluster/fleet.ts'
import { decideDisruption } from '../../shared/engine/disruption/decideDisruption.ts'
import { claimsExpectingPods, loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import { decideStatus } from '../../shared/engine/status/decideStatus.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { type SnapshotShape, snapshot } from './snapshot.ts'

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

/** The conditions that a decision about status writes on a pool or class. */
export function conditionsOf(given: SnapshotShape, kind: 'patchNodePoolStatus' | 'patchNodeClassStatus') {
  const patch = statusOf(snapshot(given)).actions.find((action) => action.kind === kind)
  if (patch?.kind !== kind) return undefined
  return Object.fromEntries(patch.conditions.map(({ type, status, reason }) => [type, status === 'True' ? status : `${status} ${reason}`]))
}

/** The Events of a decision. */
export function eventsOf({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => {
    if (action.kind !== 'publish') return []
    const { subject, type, reason } = action.event
    return [`${subject.kind}/${subject.name} ${type} ${reason}`]
  })
}
