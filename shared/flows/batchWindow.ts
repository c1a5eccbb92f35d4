import type { Uid } from '../model/ids.ts'
import type { Doorbell } from '../model/message.ts'
import { type DurationMs, type EpochMs, epochMs } from '../model/units.ts'
import type { AbortSignalLike, Clock } from '../ports/clock.ts'

export type BatchWindowOptions = {
  readonly clock: Clock
  /** Closes after this long without another batch of pending pods. */
  readonly idle: DurationMs
  /** Closes this long after the first event at the latest. */
  readonly max: DurationMs
  readonly run: (doorbells: readonly Doorbell[], signal: AbortSignalLike) => Promise<void>
}

/** Gathers doorbells of one cluster so that one decision serves them all. */
export interface BatchWindow {
  /**
   * The doorbell that opens a window resolves once its decision is committed, or rejects as it failed, and so keeps the message that
   * comes back. One that joins an open window resolves at once: the opener's message stands for it, so that a long row of doorbells
   * cannot fill the host's places and close the window early.
   */
  join(doorbell: Doorbell, signal: AbortSignalLike): Promise<void>
}

type Batch = {
  readonly doorbells: Doorbell[]
  /** Owners of which the scheduler has refused a pod since the window opened. */
  readonly refused: Set<Uid>
  readonly openedAt: EpochMs
  lastAt: EpochMs
  lastArrival: EpochMs
}

/** Of the idle time, how much must pass since pods last arrived here: when all is late, old events do not mean that no more come. */
const SETTLED_SHARE = 0.25

/**
 * Opens with the first doorbell and closes after the idle time without new pending pods, or after the maximum, both counted
 * from the time of the event itself, so that time spent in queues is not waited for twice. Event times are
 * clamped to the last `max` before now: a skewed clock can neither stretch the window nor make it negative. Decisions
 * run one after another.
 */
export function createBatchWindow(options: BatchWindowOptions): BatchWindow {
  let open: Batch | undefined
  let running: Promise<void> = Promise.resolve()

  async function gatherThenRun(batch: Batch, earlier: Promise<void>, signal: AbortSignalLike): Promise<void> {
    await waitUntilDue(batch, options, signal)
    await earlier.catch(() => undefined)
    if (open === batch) open = undefined
    await options.run(batch.doorbells, signal)
  }

  return {
    join(doorbell, signal) {
      const at = clampedEventTime(doorbell, options)
      if (open) {
        open.doorbells.push(doorbell)
        if (bringsPods(doorbell, open.refused)) {
          open.lastAt = epochMs(Math.max(open.lastAt, at))
          open.lastArrival = options.clock.now()
        }
        return Promise.resolve()
      }
      const refused = new Set(doorbell.waiting?.refused)
      const batch: Batch = { doorbells: [doorbell], refused, openedAt: at, lastAt: at, lastArrival: options.clock.now() }
      open = batch
      running = gatherThenRun(batch, running, signal)
      return running
    },
  }
}

/**
 * Whether more pods have come to be planned: those of an owner not heard of in this window, and those that owners refused here have made
 * since. That the scheduler refuses one more of a thousand replicas is no news: they are planned with the first.
 */
function bringsPods({ pendingPods = 0, waiting }: Doorbell, refused: Set<Uid>): boolean {
  if (waiting === undefined) return pendingPods > 0
  const isNews = waiting.refused.some((owner) => !refused.has(owner))
  for (const owner of waiting.refused) refused.add(owner)
  return isNews || waiting.unseen.some((owner) => refused.has(owner))
}

/** Sleeps in short steps, since a doorbell that joins meanwhile can move the end in both directions. */
async function waitUntilDue(batch: Batch, options: BatchWindowOptions, signal: AbortSignalLike): Promise<void> {
  for (;;) {
    const wait = dueAt(batch, options) - options.clock.now()
    if (wait <= 0) return
    await options.clock.sleep(Math.min(wait, 50), signal)
  }
}

function dueAt(batch: Batch, options: BatchWindowOptions): number {
  const { doorbells } = batch
  if (doorbells.some((doorbell) => doorbell.urgent)) return 0
  const settled = batch.lastArrival + options.idle * SETTLED_SHARE
  return Math.min(Math.max(batch.lastAt + options.idle, settled), batch.openedAt + options.max)
}

function clampedEventTime(doorbell: Doorbell, { clock, max }: BatchWindowOptions): EpochMs {
  const now = clock.now()
  return epochMs(Math.min(now, Math.max(doorbell.eventAt, now - max)))
}
