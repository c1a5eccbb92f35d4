import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'

/** Wakes that lie this close together are one. */
const CLOSE_MS = 1_000

/** Rings at the time a decision asked to be made again, once for many decisions that ask for the same time. */
export interface WakeUp {
  at(wakeAt: EpochMs, signal: AbortSignalLike): Promise<void>
}

/** What this process has rung for is remembered, not stored: another process may ring again, and one ring too many does no harm. */
export function createWakeUp(deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue'>): WakeUp {
  let pending: EpochMs | undefined
  return {
    async at(wakeAt, signal) {
      const now = deps.clock.now()
      const isCovered = pending !== undefined && pending > now && pending <= wakeAt + CLOSE_MS
      if (isCovered) return
      pending = wakeAt
      await deps.queue.ring(
        { kind: 'doorbell', cluster: deps.cluster, because: 'wake', eventAt: now, urgent: true },
        Math.max(0, wakeAt - now),
        signal,
      )
    },
  }
}
