import { KEPT_LISTS } from '../../shared/wire/kept/told.ts'
import { silentLog } from '../../shim/log.ts'
import { createMetrics } from '../../shim/metrics.ts'
import { LINES, readAnswerStream } from '../../shim/post/answerStream.ts'
import { createPoster } from '../../shim/post/poster.ts'
import { NUMBER_SETTINGS } from '../../shim/settings.ts'
import { createChangeTracker } from '../../shim/sync/changeTracker.ts'
import { createWakeSignal } from '../../shim/sync/wakeSignal.ts'
import type { VirtualApp } from './virtualApp.ts'

const NO_LIMITS = { changes: 1_000, length: 1_000_000 }

/**
 * Posts as the shim of a cluster in which nothing changes, with the shim's own poster: without changes, when the app has asked for it, or after the
 * longest time without a post. Pods that wait are not sent again.
 */
export function startIdleShim({ clock, cluster, events }: Pick<VirtualApp, 'clock' | 'cluster' | 'events'>): { readonly stop: () => void } {
  const over = new AbortController()
  const shimClock = { ...clock, monotonic: clock.now }
  const wakeSignal = createWakeSignal(shimClock)
  const poster = createPoster(
    {
      tracker: createChangeTracker({ now: clock.now, onUnsent: wakeSignal.notify }),
      async post(json) {
        const { end } = await readAnswerStream(await events(json, LINES))
        return { kind: 'accepted', rejected: [], sendSnapshot: undefined, bytes: json.length, end }
      },
      wakeSignal,
      clock: shimClock,
      log: silentLog,
      metrics: createMetrics(),
    },
    {
      cluster,
      term: 1,
      kept: KEPT_LISTS.number,
      windowMs: NUMBER_SETTINGS.BATCH_WINDOW_MS.fallback,
      resendMs: NUMBER_SETTINGS.RESEND_INTERVAL_SECONDS.fallback * 1_000,
      limits: NO_LIMITS,
      onSnapshotRequest: (because) => {
        throw new Error(`the app asks for a snapshot: ${because}`)
      },
      onOutdated: (term) => {
        throw new Error(`the app follows term ${term}`)
      },
      onTold: () => {
        throw new Error('the app tells later lists of kept paths')
      },
    },
  )
  void poster.run(over.signal).catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  return { stop: () => over.abort() }
}
