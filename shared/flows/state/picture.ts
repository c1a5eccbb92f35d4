import type { Clock } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterReader } from './catchUp.ts'

/** The cluster as this process reads it from the log: up to its end, at each call. */
export function createPicture(reader: ClusterReader, clock: Clock): NonNullable<ClusterDeps['picture']> {
  return async (signal) => (await reader.catchUp(clock.now(), signal)).state
}
