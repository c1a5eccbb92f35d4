import { aborted } from '../aborted.ts'
import type { Clock } from '../clock.ts'
import type { Listed } from '../kube/listObjects.ts'
import type { Log } from '../log.ts'
import { noteSizes, type ShimMetrics } from '../metrics.ts'
import type { ChangeTracker } from '../sync/changeTracker.ts'
import type { Informer } from '../sync/informer.ts'
import type { BatchLimits } from '../sync/outbox.ts'
import { createSnapshotBuffer } from '../sync/snapshotBuffer.ts'
import { createWakeSignal } from '../sync/wakeSignal.ts'
import type { Poster } from './poster.ts'

type SnapshotDeps = {
  readonly tracker: ChangeTracker
  readonly informers: readonly Informer[]
  readonly poster: Poster
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

type SnapshotOptions = { readonly limits: BatchLimits; readonly snapshotPauseMs: number }

type OnListed = (informer: Informer, listed: Listed) => void

/** Sends the snapshots of a term: one at its start, then one whenever the app asks or the outbox overflows. */
export interface Snapshots {
  /**
   * The app asks for a snapshot. The app repeats this with every answer until it has read a snapshot, so a request that comes too early may be
   * dropped.
   */
  want(because: string): void
  /** Changes were dropped. Only a snapshot can bring them back. */
  need(because: string): void
  isSynced(): boolean
  /** Calls `onListed` for each kind once the first snapshot has listed it. */
  serve(onListed: OnListed, signal: AbortSignal): Promise<void>
}

export function createSnapshots(deps: SnapshotDeps, options: SnapshotOptions): Snapshots {
  const { clock } = deps
  const wakeSignal = createWakeSignal(clock)
  let wanted: string | undefined
  let isNeeded = false
  let isSynced = false

  function want(because: string): void {
    wanted = because
    wakeSignal.notify()
  }

  function take(because: string, signal: AbortSignal, onListed: OnListed = () => {}): Promise<boolean> {
    isNeeded = false
    return takeSnapshot(deps, options.limits, { because, onListed }, signal)
  }

  /** Sends snapshots until the app takes one: nothing else would bring their content to the app. */
  async function untilTaken(because: string, signal: AbortSignal, onListed?: OnListed): Promise<void> {
    let taken = await take(because, signal, onListed)
    while (!taken) {
      await clock.sleep(options.snapshotPauseMs, signal)
      taken = await take('the app did not take the last one', signal)
    }
  }

  async function answerRequests(signal: AbortSignal): Promise<void> {
    let endedAt = clock.monotonic()
    while (!signal.aborted) {
      await wakeSignal.wait(60_000, signal)
      const because = wanted
      wanted = undefined
      const isEarly = clock.monotonic() < endedAt + options.snapshotPauseMs
      if (because === undefined || (isEarly && !isNeeded)) continue
      await untilTaken(because, signal)
      endedAt = clock.monotonic()
    }
  }

  return {
    want,
    need(because) {
      isNeeded = true
      want(because)
    },
    isSynced: () => isSynced,
    async serve(onListed, signal) {
      await untilTaken('a term began', signal, onListed)
      isSynced = true
      await answerRequests(signal)
    },
  }
}

type Taking = { readonly because: string; readonly onListed: OnListed }

async function takeSnapshot(deps: SnapshotDeps, limits: BatchLimits, { because, onListed }: Taking, signal: AbortSignal): Promise<boolean> {
  const { tracker, clock, log, metrics } = deps
  const start = clock.monotonic()
  const seq = tracker.beginSnapshot()
  const buffer = createSnapshotBuffer(limits)
  for (const informer of deps.informers) onListed(informer, await informer.listForSnapshot(seq, buffer.section(), signal))
  const parts = buffer.finish()
  // A poster whose loop broke would never resolve `sendSnapshot`.
  const taken = await Promise.race([deps.poster.sendSnapshot(seq, parts), aborted(signal).then(() => false)])
  signal.throwIfAborted()
  if (taken) metrics.snapshots.inc()
  noteSizes(metrics, tracker)
  const ms = Math.round(clock.monotonic() - start)
  log.info('snapshot sent', { because, seq, parts: parts.count, objects: tracker.objects, taken, ms })
  return taken
}
