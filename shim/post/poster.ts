import type { Backoff } from '../backoff.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import type { Bell } from '../sync/bell.ts'
import { type ChangeParts, changesEnvelope, changeText, snapshotEnvelope } from '../sync/changeText.ts'
import type { Collector } from '../sync/collector.ts'
import type { BatchLimits } from '../sync/outbox.ts'
import type { SpooledParts } from '../sync/spool.ts'
import type { PostEnvelope, PostOutcome } from './postEnvelope.ts'

/** Keys and roles are mended by people: asking more often only fills logs. */
const REFUSED_WAIT_MS = 30_000

export type PosterDeps = {
  readonly collector: Collector
  readonly post: PostEnvelope
  readonly bell: Bell
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

export type PosterOptions = {
  readonly cluster: string
  readonly term: number
  /** Least time between the starts of two posts. */
  readonly windowMs: number
  readonly resendMs: number
  readonly limits: BatchLimits
  readonly onSnapshotWanted: (because: string) => void
}

/** The one line to the app: a single post at a time, in the order of the numbers, each tried until it is answered. */
export interface Poster {
  /** Sends a snapshot's parts, with changes in between; resolves when the app took the last, false when it would not take one. */
  sendSnapshot(seq: number, parts: SpooledParts): Promise<boolean>
  /** Posts until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when nothing is left to post. */
  idle(): Promise<void>
  /** What the app said to the last post, unless it took it. */
  trouble(): string | undefined
}

type Accepted = Extract<PostOutcome, { readonly kind: 'accepted' }>
type Unacceptable = Extract<PostOutcome, { readonly kind: 'malformed' | 'tooLarge' }>
type SnapshotInHand = { readonly seq: number; readonly parts: SpooledParts; next: number; readonly done: (taken: boolean) => void }

export function createPoster(deps: PosterDeps, options: PosterOptions): Poster {
  const { collector, bell, clock, log, metrics } = deps
  const head = () => ({ cluster: options.cluster, term: options.term, sentAt: clock.now() })
  let snapshot: SnapshotInHand | undefined
  let trouble: string | undefined
  let lastStart = Number.NEGATIVE_INFINITY
  let isBusy = false
  const waiting: (() => void)[] = []

  async function deliver(json: string, signal: AbortSignal): Promise<Accepted | Unacceptable> {
    const backoff = createBackoff({ first: 250, most: 10_000 })
    for (;;) {
      const start = clock.monotonic()
      const outcome = await deps.post(json, signal)
      metrics.postSeconds.observe((clock.monotonic() - start) / 1000)
      if (outcome.kind === 'accepted' || outcome.kind === 'malformed' || outcome.kind === 'tooLarge') {
        trouble = undefined
        return outcome
      }
      trouble = `the app answered ${outcome.status ?? 'nothing'}: ${outcome.message}`
      metrics.retries.inc()
      const waitMs = waitAfter(outcome, backoff)
      log[outcome.kind === 'refused' ? 'error' : 'warn']('the app did not take a batch; trying again', {
        status: outcome.status,
        because: outcome.message,
        waitMs,
      })
      await clock.sleep(waitMs, signal)
    }
  }

  function noteAccepted(outcome: Accepted, body: 'changes' | 'snapshot', changes: number): void {
    metrics.batches.inc({ body })
    metrics.changesSent.inc({ body }, changes)
    metrics.bytes.inc(outcome.bytes)
    if (outcome.sendSnapshot !== undefined && body === 'changes') options.onSnapshotWanted(outcome.sendSnapshot)
  }

  async function postChanges(batch: readonly ChangeParts[], signal: AbortSignal): Promise<void> {
    const outcome = await deliver(changesEnvelope(head(), batch.map(changeText)), signal)
    if (outcome.kind === 'accepted') {
      noteAccepted(outcome, 'changes', batch.length)
      const now = clock.now()
      for (const { at } of batch) metrics.lagSeconds.observe(Math.max(0, now - at) / 1000)
      for (const { seq, code, message } of outcome.rejected) {
        const change = batch.find((each) => each.seq === seq)
        if (change) await postRejected(change, { code, message }, signal)
      }
      return
    }
    const [only] = batch
    const half = Math.ceil(batch.length / 2)
    if (batch.length > 1) {
      await postChanges(batch.slice(0, half), signal)
      await postChanges(batch.slice(half), signal)
    } else if (only) await postRejected(only, problemOf(outcome), signal)
  }

  /** Takes the place of a change the app would not have: the number is not left out, and the app can say so on the object. */
  async function postRejected(change: ChangeParts, problem: { code: string; message: string }, signal: AbortSignal): Promise<void> {
    const { kind, key, seq } = change
    metrics.rejects.inc()
    log.error('the app does not take a change', { kind, key, seq, ...problem })
    collector.giveUp(kind, key)
    if (change.op === 'invalid') return
    const text = `"problem":${JSON.stringify({ code: 'INPUT.INVALID', message: problem.message })}`
    const invalid: ChangeParts = { ...change, op: 'invalid', text }
    const outcome = await deliver(changesEnvelope(head(), [changeText(invalid)]), signal)
    if (outcome.kind === 'accepted') noteAccepted(outcome, 'changes', 1)
  }

  async function postPart(sending: SnapshotInHand, signal: AbortSignal): Promise<void> {
    const { changes, count } = sending.parts.read(sending.next)
    const part = { seq: sending.seq, part: sending.next + 1, parts: sending.parts.count, changes }
    const outcome = await deliver(snapshotEnvelope(head(), part), signal)
    if (outcome.kind === 'accepted') noteAccepted(outcome, 'snapshot', count)
    else log.error('the app does not take a part of a snapshot', { part: part.part, ...problemOf(outcome) })
    sending.next++
    if (outcome.kind === 'accepted' && sending.next < sending.parts.count) return
    snapshot = undefined
    sending.done(outcome.kind === 'accepted')
  }

  /** At once after a pause, else not before the window since the last post is over: what comes meanwhile goes along. */
  async function postUnsent(signal: AbortSignal): Promise<void> {
    const wait = lastStart + options.windowMs - clock.monotonic()
    if (wait > 0) await clock.sleep(wait, signal)
    lastStart = clock.monotonic()
    await postChanges(collector.take(options.limits), signal)
  }

  /** A batch without changes still asks the app whether it misses anything. */
  async function resend(signal: AbortSignal): Promise<void> {
    collector.queuePending()
    if (collector.unsent === 0) await postChanges([], signal)
  }

  async function postForEver(signal: AbortSignal): Promise<void> {
    let resendAt = clock.monotonic() + options.resendMs
    while (!signal.aborted) {
      if (isIdle()) {
        for (const resolve of waiting.splice(0)) resolve()
        await bell.wait(Math.max(0, resendAt - clock.monotonic()), signal)
      }
      isBusy = true
      if (clock.monotonic() >= resendAt) {
        resendAt = clock.monotonic() + options.resendMs
        await resend(signal)
      }
      if (snapshot) await postPart(snapshot, signal)
      if (collector.unsent > 0) await postUnsent(signal)
      isBusy = false
    }
  }

  function isIdle(): boolean {
    return !isBusy && snapshot === undefined && collector.unsent === 0
  }

  return {
    trouble: () => trouble,
    sendSnapshot(seq, parts) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      snapshot = { seq, parts, next: 0, done: resolve }
      bell.ring()
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

function waitAfter(outcome: Extract<PostOutcome, { kind: 'refused' | 'failed' }>, backoff: Backoff): number {
  return outcome.kind === 'refused' ? REFUSED_WAIT_MS : backoff.next(outcome.retryAfterMs)
}

function problemOf(outcome: Unacceptable): { readonly code: string; readonly message: string } {
  return { code: outcome.kind === 'malformed' ? outcome.code : 'INPUT.TOO_LARGE', message: outcome.message }
}
