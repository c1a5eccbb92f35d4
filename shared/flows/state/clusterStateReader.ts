import { createConcurrencyLimiter } from '../../base/concurrency.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterReader } from './catchUp.ts'
import type { ClusterState } from './clusterState.ts'

type Reading = { readonly state: Promise<ClusterState>; readonly signal: AbortSignalLike }

/**
 * Returns a function that reads the log of the cluster to its end and returns the cluster state as of the call or later. Callers that come while a
 * read is under way share the next one. So a burst of runs of claims costs a few reads.
 */
export function createClusterStateReader(
  reader: Pick<ClusterReader, 'catchUp'>,
  clock: Pick<Clock, 'now'>,
): NonNullable<ClusterDeps['readClusterState']> {
  const inTurn = createConcurrencyLimiter(1)
  let next: Reading | undefined

  function begin(signal: AbortSignalLike): Reading {
    const state = inTurn(async () => {
      next = undefined
      return (await reader.catchUp(clock.now(), signal)).state
    })
    return { state, signal }
  }

  return async (signal) => {
    for (;;) {
      next ??= begin(signal)
      const reading = next
      try {
        return await reading.state
      } catch (cause) {
        // The time of the caller that began the read is over. Callers that share it may still have time.
        if (!reading.signal.aborted || signal.aborted) throw cause
      }
    }
  }
}
