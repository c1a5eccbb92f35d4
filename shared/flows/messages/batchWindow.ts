import type { Uid } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import { type DurationMs, type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import { untilEnded } from '../deps/untilEnded.ts'

export type BatchWindowOptions = {
  readonly clock: Clock
  /** The window closes after this time without new pending pods. */
  readonly idle: DurationMs
  /** The window closes at the latest this long after the first event. */
  readonly max: DurationMs
  readonly run: (doorbells: readonly Doorbell[], signal: AbortSignalLike) => Promise<void>
  /** Called after each run, failed or not. The doorbell that opened the window waits for it. The next run does not. */
  readonly afterwards?: (signal: AbortSignalLike) => Promise<void>
}

/** Gathers doorbells of one cluster so that one decision serves them all. */
export interface BatchWindow {
  /**
   * Adds a doorbell to the open window, or opens one. A doorbell that opens a window resolves once its decision is committed, and rejects if the
   * decision fails, so that its message comes back. A doorbell that joins an open window resolves at once: the message of the first doorbell covers
   * it. So a long row of doorbells cannot use up the concurrency of the host and close the window early.
   */
  join(doorbell: Doorbell, signal: AbortSignalLike): Promise<void>
  /** Adds a doorbell to the open window. The message of its first doorbell covers it. Returns false if no window is open. */
  joinOpen(doorbell: Doorbell): boolean
}

type Batch = {
  readonly doorbells: Doorbell[]
  /** Owners with a pod that the scheduler has refused since the window opened. */
  readonly refused: Set<Uid>
  /** The event times that the window is counted from. Undefined: a timer opened the window and no pods came since, so there is nothing to gather. */
  wave: Wave | undefined
  /** True if the window must close now. */
  isCut: boolean
}

type Wave = { readonly openedAt: EpochMs; lastAt: EpochMs; lastArrival: EpochMs }

/** The share of the idle time that must pass since pods last arrived here. If everything is late, old event times do not show that no more come. */
const SETTLED_SHARE = 0.25

/** Reasons to decide now, even if more pods are coming: a machine is being deleted, or a machine that pods were planned on will not come. */
const CUTTING: ReadonlySet<Doorbell['because']> = new Set(['changes', 'interruption', 'capacity'])

/**
 * A window opens with the first doorbell. It closes after the idle time without new pending pods, or after the maximum. Both are counted from the
 * times of the events, so that time spent in queues is not waited for twice. Event times are clamped to the last `max` before now: a skewed clock can
 * neither stretch the window nor make it negative. A doorbell of a timer is served at once if no pods are being gathered, and otherwise together with
 * the pods. So one wave of pods is never planned in two parts. Decisions run one after another.
 */
export function createBatchWindow(options: BatchWindowOptions): BatchWindow {
  let open: Batch | undefined
  let running: Promise<void> = Promise.resolve()

  async function gatherThenRun(batch: Batch, earlier: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
    try {
      await waitUntilDue(batch, options, signal)
      await untilEnded(earlier, signal)
      // Pods that came during the previous decision belong to the same wave.
      await waitUntilDue(batch, options, signal)
    } finally {
      // This also runs if the time of the first doorbell is over. Its message comes back, and the next doorbell opens a new window.
      if (open === batch) open = undefined
    }
    await options.run(batch.doorbells, signal)
  }

  function joinOpen(doorbell: Doorbell): boolean {
    if (open === undefined) return false
    add(open, doorbell, options)
    return true
  }

  return {
    joinOpen,
    join(doorbell, signal) {
      if (joinOpen(doorbell)) return Promise.resolve()
      const batch = openBatch(doorbell, options)
      open = batch
      const earlier = running
      const done = gatherThenRun(batch, earlier, signal)
      running = bothEnded(earlier, done)
      return thenRest(done, options, signal)
    },
  }
}

async function thenRest(done: Promise<void>, { afterwards }: BatchWindowOptions, signal: AbortSignalLike): Promise<void> {
  try {
    await done
  } finally {
    await afterwards?.(signal)
  }
}

/** Resolves once both have settled, without their results. Otherwise the promise of the last decision would hold all earlier ones in memory. */
async function bothEnded(first: Promise<unknown>, second: Promise<unknown>): Promise<void> {
  await Promise.allSettled([first, second])
}

function openBatch(doorbell: Doorbell, options: BatchWindowOptions): Batch {
  const refused = new Set(doorbell.waiting?.refused)
  const hasPods = (doorbell.pendingPods ?? 0) > 0 || refused.size > 0
  const gathers = hasPods || !doorbell.urgent
  return { doorbells: [doorbell], refused, wave: gathers ? waveFrom(doorbell, options) : undefined, isCut: cuts(doorbell) }
}

function add(batch: Batch, doorbell: Doorbell, options: BatchWindowOptions): void {
  batch.doorbells.push(doorbell)
  batch.isCut ||= cuts(doorbell)
  if (!bringsPods(doorbell, batch.refused)) return
  const { openedAt, lastAt, lastArrival } = waveFrom(doorbell, options)
  if (batch.wave === undefined) batch.wave = { openedAt, lastAt, lastArrival }
  else Object.assign(batch.wave, { lastAt: Math.max(batch.wave.lastAt, lastAt), lastArrival })
}

function cuts({ urgent, because }: Doorbell): boolean {
  return urgent && CUTTING.has(because)
}

function waveFrom(doorbell: Doorbell, options: BatchWindowOptions): Wave {
  const at = clampedEventTime(doorbell, options)
  return { openedAt: at, lastAt: at, lastArrival: options.clock.now() }
}

/**
 * Reports whether the doorbell brings more pods to plan: a refused pod of an owner that is new in this window, or an unseen pod of an owner with a
 * refused pod. One more refused pod of a thousand replicas is not new, because all replicas are planned together.
 */
function bringsPods({ pendingPods = 0, waiting }: Doorbell, refused: Set<Uid>): boolean {
  if (waiting === undefined) return pendingPods > 0
  const isNews = waiting.refused.some((owner) => !refused.has(owner))
  for (const owner of waiting.refused) refused.add(owner)
  return isNews || waiting.unseen.some((owner) => refused.has(owner))
}

/** Sleeps until the window closes, in short steps, because a doorbell that joins can move the end in both directions. */
async function waitUntilDue(batch: Batch, options: BatchWindowOptions, signal: AbortSignalLike): Promise<void> {
  for (;;) {
    const wait = dueAt(batch, options) - options.clock.now()
    if (wait <= 0) return
    await options.clock.sleep(Math.min(wait, 50), signal)
  }
}

function dueAt({ wave, isCut }: Batch, options: BatchWindowOptions): number {
  if (isCut || wave === undefined) return 0
  const settled = wave.lastArrival + options.idle * SETTLED_SHARE
  return Math.min(Math.max(wave.lastAt + options.idle, settled), wave.openedAt + options.max)
}

function clampedEventTime(doorbell: Doorbell, { clock, max }: BatchWindowOptions): EpochMs {
  const now = clock.now()
  return epochMs(Math.min(now, Math.max(doorbell.eventAt, now - max)))
}
