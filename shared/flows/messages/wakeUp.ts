import { LONGEST_DELAY } from '../../model/message.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doorbellOf } from './doorbell.ts'

/** Wakes that lie this close together are one. */
const CLOSE_MS = 1_000
/** The first wait of a look that has to be made again, and the longest: each is twice the one before. */
const SHORTEST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000

/** The rings that a process asks for itself. What it has rung for is remembered, not stored: another process may ring again, and one ring too many does no harm. */
export interface WakeUp {
  /** Rings at the time a decision asked to be made again, once for many decisions that ask for the same time. */
  at(wakeAt: EpochMs, signal: AbortSignalLike): Promise<void>
  /** A look could not decide, or not do all of it. Rings for another: one on its way stands for all, and each comes later than the one before. */
  again(signal: AbortSignalLike): Promise<void>
  /** A look did all there was to do: the next trouble begins with the shortest wait. */
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
      // A time further off than a message can wait is asked for again by whoever is woken before it.
      const delayMs = Math.min(Math.max(0, wakeAt - now), LONGEST_DELAY)
      // Only a ring that was sent counts.
      wakesAt = await ring('wake', delayMs, signal)
    },
    async again(signal) {
      const left = (retriesAt ?? 0) - deps.clock.now()
      // One that lies further off than any was set by a clock that went back.
      if (left > 0 && left <= LONGEST_RETRY_MS) return
      retriesAt = await ring('retry', Math.min(LONGEST_RETRY_MS, SHORTEST_RETRY_MS * 2 ** retries), signal)
      retries++
    },
    done() {
      retries = 0
    },
  }
}
