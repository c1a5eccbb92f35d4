import { aborted } from '../aborted.ts'
import type { Clock } from '../clock.ts'
import type { Listed } from '../kube/listObjects.ts'
import type { Log } from '../log.ts'
import { noteSizes, type ShimMetrics } from '../metrics.ts'
import type { Poster } from '../post/poster.ts'
import { createBell } from './bell.ts'
import type { Collector } from './collector.ts'
import type { BatchLimits } from './outbox.ts'
import type { Sensor } from './sensor.ts'
import { createSpool } from './spool.ts'

type SnapshotDeps = {
  readonly collector: Collector
  readonly sensors: readonly Sensor[]
  readonly poster: Poster
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

type SnapshotOptions = { readonly limits: BatchLimits; readonly snapshotPauseMs: number }

type OnListed = (sensor: Sensor, listed: Listed) => void

/** The snapshots of a term: one at its start, then one whenever the app or an overflow asks. */
export interface Snapshots {
  /** The app asks. It asks with every answer until it has read one, so a question that comes too early may be dropped. */
  want(because: string): void
  /** Changes were dropped: nothing but a snapshot can bring them back. */
  need(because: string): void
  isSynced(): boolean
  /** `onListed` is called for each kind as the first snapshot has listed it. */
  serve(onListed: OnListed, signal: AbortSignal): Promise<void>
}

export function createSnapshots(deps: SnapshotDeps, options: SnapshotOptions): Snapshots {
  const { clock } = deps
  const bell = createBell(clock)
  let wanted: string | undefined
  let isNeeded = false
  let isSynced = false

  function want(because: string): void {
    wanted = because
    bell.ring()
  }

  function take(because: string, signal: AbortSignal, onListed: OnListed = () => {}): Promise<boolean> {
    isNeeded = false
    return takeSnapshot(deps, options.limits, { because, onListed }, signal)
  }

  /** What nothing else would bring is brought again and again, until the app has it. */
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
      await bell.wait(60_000, signal)
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
  const { collector, clock, log, metrics } = deps
  const start = clock.monotonic()
  const seq = collector.beginSnapshot()
  const spool = createSpool(limits)
  for (const sensor of deps.sensors) onListed(sensor, await sensor.listForSnapshot(seq, spool.section(), signal))
  const parts = spool.finish()
  // A poster whose loop broke would never answer.
  const taken = await Promise.race([deps.poster.sendSnapshot(seq, parts), aborted(signal).then(() => false)])
  signal.throwIfAborted()
  if (taken) metrics.snapshots.inc()
  noteSizes(metrics, collector)
  const ms = Math.round(clock.monotonic() - start)
  log.info('snapshot sent', { because, seq, parts: parts.count, objects: collector.objects, taken, ms })
  return taken
}
