import { LONGEST_DELAY } from '../../model/message.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doorbellOf } from './doorbell.ts'

/** Wake-up times that lie this close together share one ring. */
const CLOSE_MS = 1_000
/** The first and the longest wait before a failed decision is tried again. Each wait is twice the wait before. */
const SHORTEST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000

/**
 * The doorbells that a process rings for itself. It remembers them in memory only: another process may ring again, and one ring too many does no
 * harm.
 */
export interface WakeUp {
  /** Rings at the time for which a decision asked for another one. Several decisions that ask for the same time cause one ring. */
  at(wakeAt: EpochMs, signal: AbortSignalLike): Promise<void>
  /**
   * Rings again because a decision could not be made or not be carried out in full. At most one such ring is pending, and each waits longer than the
   * last.
   */
  again(signal: AbortSignalLike): Promise<void>
  /** Notes that a decision was carried out in full. The next failure begins with the shortest wait. */
  done(): void
}

export function createWakeUp(deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue'>): WakeUp {
  let wakesAt: EpochMs | undefined
  let retriesAt: EpochMs | undefined
  let retries = 0

  async function ring(because: 'wake' | 'retry', delayMs: number, signal: AbortSignalLike): Promise<EpochMs> {
    const now = deps.clock.now()
    await deps.queue.ring(doorbellOf(deps.cluster, because, now), delayMs, signal)
    return epochMs(now + delayMs)
  }

  return {
    async at(wakeAt, signal) {
      const now = deps.clock.now()
      if (wakesAt !== undefined && wakesAt > now && wakesAt <= wakeAt + CLOSE_MS) return
      // A message cannot wait longer than `LONGEST_DELAY`. The decision that it wakes asks for the time again.
      const delayMs = Math.min(Math.max(0, wakeAt - now), LONGEST_DELAY)
      // The time is set only after the ring was sent.
      wakesAt = await ring('wake', delayMs, signal)
    },
    async again(signal) {
      const left = (retriesAt ?? 0) - deps.clock.now()
      // A ring further in the future than the longest wait was set before the clock went back.
      if (left > 0 && left <= LONGEST_RETRY_MS) return
      retriesAt = await ring('retry', Math.min(LONGEST_RETRY_MS, SHORTEST_RETRY_MS * 2 ** retries), signal)
      retries++
    },
    done() {
      retries = 0
    },
  }
}
