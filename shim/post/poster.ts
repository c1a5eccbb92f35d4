import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import { type SnapshotPart, snapshotEnvelope } from '../sync/changeText.ts'
import type { ChangeTracker } from '../sync/changeTracker.ts'
import type { BatchLimits } from '../sync/outbox.ts'
import type { BufferedParts } from '../sync/snapshotBuffer.ts'
import type { WakeSignal } from '../sync/wakeSignal.ts'
import { type Accepted, createDelivery, type RejectedEnvelope } from './deliver.ts'
import { createOpenAnswers } from './openAnswers.ts'
import { type ChangesDeps, headOf, noteAccepted, postChanges, problemOf } from './postChanges.ts'
import type { PostEnvelope } from './postEnvelope.ts'
import { createPostPace, type PostPace } from './postPace.ts'

export type PosterDeps = {
  readonly tracker: ChangeTracker
  readonly post: PostEnvelope
  readonly wakeSignal: WakeSignal
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

export type PosterOptions = {
  readonly cluster: string
  readonly term: number
  /** The number of the lists of kept paths that objects are reduced by. */
  readonly kept: number
  /** Least time between the starts of two posts. Under load, the pause is longer. */
  readonly windowMs: number
  readonly resendMs: number
  readonly limits: BatchLimits
  readonly onSnapshotRequest: (because: string) => void
  readonly onOutdated: (newestTerm: number) => void
  readonly onTold: (told: unknown) => void
}

/** Posts to the app, one post at a time, in the order of the numbers. Each post is tried until the app answers. */
export interface Poster {
  /**
   * Sends the parts of a snapshot, with changes in between. Resolves to true when the app has taken the last part, and to false if the app refuses a
   * part.
   */
  sendSnapshot(seq: number, parts: BufferedParts): Promise<boolean>
  /** Posts until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when nothing is left to post. */
  idle(): Promise<void>
  /** Why the app did not take the last post. Undefined if it did. */
  unreadyReason(): string | undefined
}

type SnapshotInHand = { readonly seq: number; readonly parts: BufferedParts; next: number; readonly done: (taken: boolean) => void }

export function createPoster(deps: PosterDeps, options: PosterOptions): Poster {
  const { tracker, wakeSignal, clock } = deps
  const { cluster, term, kept, onSnapshotRequest, onOutdated, onTold } = options
  const delivery = createDelivery({ ...deps, onOutdated, onTold })
  const answers = createOpenAnswers(clock, wakeSignal.notify)
  const line: ChangesDeps = { ...deps, delivery, answers, cluster, term, kept, onSnapshotRequest }
  let snapshot: SnapshotInHand | undefined
  const pace = createPostPace(options.windowMs)
  let isBusy = false
  const waiting: (() => void)[] = []

  async function postForEver(signal: AbortSignal): Promise<void> {
    let resendAt = clock.monotonic() + options.resendMs
    while (!signal.aborted) {
      if (isIdle()) {
        for (const resolve of waiting.splice(0)) resolve()
        await wakeSignal.wait(Math.max(0, Math.min(resendAt, answers.comeAt()) - clock.monotonic()), signal)
      }
      isBusy = true
      if (clock.monotonic() >= resendAt) {
        resendAt = clock.monotonic() + options.resendMs
        tracker.queuePending()
        if (tracker.unsent === 0) await come(line, signal)
      }
      if (clock.monotonic() >= answers.comeAt()) await come(line, signal)
      const sending = snapshot
      if (sending && (await postPart(line, sending, signal)) && snapshot === sending) snapshot = undefined
      if (tracker.unsent > 0) await postUnsent(line, pace, options.limits, signal)
      isBusy = false
    }
  }

  function isIdle(): boolean {
    return !isBusy && snapshot === undefined && tracker.unsent === 0
  }

  return {
    unreadyReason: delivery.unreadyReason,
    sendSnapshot(seq, parts) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      snapshot = { seq, parts, next: 0, done: resolve }
      wakeSignal.notify()
      return promise
    },
    idle() {
      if (isIdle()) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      return promise
    },
    async run(signal) {
      try {
        await postForEver(signal)
      } finally {
        snapshot?.done(false)
      }
    },
  }
}

/** Posts unsent changes: at once after a pause, else when the next post may start. Changes that come meanwhile go along. */
async function postUnsent(line: ChangesDeps, pace: PostPace, limits: BatchLimits, signal: AbortSignal): Promise<void> {
  const { clock, tracker } = line
  const wait = pace.nextStart() - clock.monotonic()
  if (wait > 0) await clock.sleep(wait, signal)
  const start = clock.monotonic()
  await postChanges(line, tracker.take(limits), signal)
  pace.note({ start, end: clock.monotonic() })
}

/** Posts an empty batch. It begins the work that is due, and its answer says whether the app needs a snapshot. */
async function come(line: ChangesDeps, signal: AbortSignal): Promise<void> {
  line.answers.came()
  await postChanges(line, [], signal)
}

/** Posts the next part. Returns true when the snapshot is over, taken or not. */
async function postPart(line: ChangesDeps, sending: SnapshotInHand, signal: AbortSignal): Promise<boolean> {
  const { changes, count } = sending.parts.read(sending.next)
  const head = headOf(line)
  const part = { seq: sending.seq, part: sending.next + 1, parts: sending.parts.count, changes }
  const whole = await line.delivery.deliver(snapshotEnvelope(head, part), signal)
  const outcome = whole.kind === 'accepted' ? whole : await postEmptied(line, part, whole, signal)
  if (outcome.kind === 'accepted') {
    line.answers.follow(outcome.end)
    noteAccepted(line.metrics, 'snapshot', { changes: count, bytes: outcome.bytes })
  } else line.log.error('the app does not take a part of a snapshot', { part: part.part, ...problemOf(outcome) })
  sending.next++
  if (outcome.kind === 'accepted' && sending.next < sending.parts.count) return false
  sending.done(outcome.kind === 'accepted')
  return true
}

/**
 * Posts a part that the app does not take as it is. Its objects go first, as changes, so that the object at fault is found and replaced by its
 * problem. The numbers of these changes are later than the snapshot's, so the app keeps them when the part follows without objects and completes the
 * snapshot.
 */
async function postEmptied(
  line: ChangesDeps,
  part: SnapshotPart,
  why: RejectedEnvelope,
  signal: AbortSignal,
): Promise<Accepted | RejectedEnvelope> {
  line.log.warn('the app does not take a part of a snapshot; its objects go as changes', { part: part.part, ...problemOf(why) })
  const changes = line.tracker.renumber(part.seq, part.changes)
  if (changes.length > 0) await postChanges(line, changes, signal)
  const head = headOf(line)
  return line.delivery.deliver(snapshotEnvelope(head, { ...part, changes: '' }), signal)
}
