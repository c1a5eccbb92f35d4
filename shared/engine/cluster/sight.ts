import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { type Fleet, fleetOf } from './fleet.ts'
import { leavingBy } from './leaving.ts'
import { stateNodes } from './stateNode.ts'

/** Objects of the kinds of which there are few. */
export type FewObjects = Omit<ClusterSnapshot['objects'], 'pod' | 'node' | 'nodeClaim'>

/** A cluster as decisions about pools, classes and machines see it: pods and nodes as the machines they make up. */
export type Sight = Omit<ClusterSnapshot, 'objects'> & { readonly objects: FewObjects; readonly fleet: Fleet }

export function sightOf(snapshot: ClusterSnapshot): Sight {
  return { ...snapshot, fleet: fleetOf(stateNodes(snapshot.objects, leavingBy(snapshot.commands))) }
}
