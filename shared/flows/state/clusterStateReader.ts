import type { Clock } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterReader } from './catchUp.ts'

/** Returns a function that reads the log of the cluster to its end at each call and returns the cluster state. */
export function createClusterStateReader(reader: ClusterReader, clock: Clock): NonNullable<ClusterDeps['readClusterState']> {
  return async (signal) => (await reader.catchUp(clock.now(), signal)).state
}
