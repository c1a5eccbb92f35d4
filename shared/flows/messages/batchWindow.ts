import type { Uid } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import { type DurationMs, type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

export type BatchWindowOptions = {
  readonly clock: Clock
  /** Closes after this long without another batch of pending pods. */
  readonly idle: DurationMs
  /** Closes this long after the first event at the latest. */
  readonly max: DurationMs
  readonly run: (doorbells: readonly Doorbell[], signal: AbortSignalLike) => Promise<void>
  /** Once a run has ended, however. The next run does not wait for it; the doorbell that opened the window does. */
  readonly afterwards?: (signal: AbortSignalLike) => Promise<void>
}

/** Gathers doorbells of one cluster so that one decision serves them all. */
export interface BatchWindow {
  /**
   * The doorbell that opens a window resolves once its decision is committed, or rejects as it failed, and so keeps the message that
   * comes back. One that joins an open window resolves at once: the opener's message stands for it, so that a long row of doorbells
   * cannot fill the host's places and close the window early.
   */
  join(doorbell: Doorbell, signal: AbortSignalLike): Promise<void>
  /** Takes the doorbell into the window that is open, whose opener's message stands for it. False where none is. */
  joinOpen(doorbell: Doorbell): boolean
}

type Batch = {
  readonly doorbells: Doorbell[]
  /** Owners of which the scheduler has refused a pod since the window opened. */
  readonly refused: Set<Uid>
  /** Times of the events that the window is counted from. Undefined: nothing to gather, a timer opened it and no pods came since. */
  wave: Wave | undefined
  /** Something must not wait for more pods. */
  isCut: boolean
}

type Wave = { readonly openedAt: EpochMs; lastAt: EpochMs; lastArrival: EpochMs }

/** Of the idle time, how much must pass since pods last arrived here: when all is late, old events do not mean that no more come. */
const SETTLED_SHARE = 0.25

/** What asks for a decision now, whatever pods are coming: a machine is being deleted, or one that pods count on will not come. */
const CUTTING: ReadonlySet<Doorbell['because']> = new Set(['changes', 'interruption', 'capacity'])

/**
 * Opens with the first doorbell and closes after the idle time without new pending pods, or after the maximum, both counted
 * from the time of the event itself, so that time spent in queues is not waited for twice. Event times are
 * clamped to the last `max` before now: a skewed clock can neither stretch the window nor make it negative. A doorbell of a timer is served at
 * once when nothing is being gathered, and with the pods when they are: it never plans one wave of pods in two parts. Decisions
 * run one after another.
 */
export function createBatchWindow(options: BatchWindowOptions): BatchWindow {
  let open: Batch | undefined
  let running: Promise<void> = Promise.resolve()

  async function gatherThenRun(batch: Batch, earlier: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
    try {
      await waitUntilDue(batch, options, signal)
      await untilEnded(earlier, signal)
      // Pods that came while the decision before was made are of the same wave.
      await waitUntilDue(batch, options, signal)
    } finally {
      // Also when the opener's time is over: its message comes back, and whatever rings next opens a window of its own.
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

/** Keeps nothing of how they ended: the promise of the last decision must not hold on to all before it. */
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

function dueAt({ wave, isCut }: Batch, options: BatchWindowOptions): number {
  if (isCut || wave === undefined) return 0
  const settled = wave.lastArrival + options.idle * SETTLED_SHARE
  return Math.min(Math.max(wave.lastAt + options.idle, settled), wave.openedAt + options.max)
}

/** Resolves once the promise is settled, however; rejects with the reason of the signal, so that nobody waits longer than it may. */
function untilEnded(promise: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    const end = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    promise.then(end, end)
  })
}

function clampedEventTime(doorbell: Doorbell, { clock, max }: BatchWindowOptions): EpochMs {
  const now = clock.now()
  return epochMs(Math.min(now, Math.max(doorbell.eventAt, now - max)))
}
