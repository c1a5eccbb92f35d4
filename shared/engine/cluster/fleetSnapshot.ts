import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { type Fleet, fleetOf } from './fleet.ts'
import { leavingBy } from './leaving.ts'
import { stateNodes } from './stateNode.ts'

/** Objects of the kinds with few objects. */
export type FewObjects = Omit<ClusterSnapshot['objects'], 'pod' | 'node' | 'nodeClaim'>

/** The input of decisions about pools, classes and machines: a snapshot with pods, nodes and claims joined into machines. */
export type FleetSnapshot = Omit<ClusterSnapshot, 'objects'> & { readonly objects: FewObjects; readonly fleet: Fleet }

export function fleetSnapshotOf(snapshot: ClusterSnapshot): FleetSnapshot {
  return { ...snapshot, fleet: fleetOf(stateNodes(snapshot.objects, leavingBy(snapshot.commands))) }
}
