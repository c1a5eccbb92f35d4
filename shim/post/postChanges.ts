import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { noteSizes, type ShimMetrics } from '../metrics.ts'
import { type ChangeParts, changesEnvelope, changeText, type EnvelopeHead } from '../sync/changeText.ts'
import type { ChangeTracker } from '../sync/changeTracker.ts'
import type { Accepted, Delivery, RejectedEnvelope } from './deliver.ts'
import type { OpenAnswers } from './openAnswers.ts'

export type ChangesDeps = {
  readonly tracker: ChangeTracker
  readonly delivery: Delivery
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
  readonly cluster: string
  readonly term: number
  readonly kept: number
  readonly onSnapshotRequest: (because: string) => void
  readonly answers: OpenAnswers
}

/**
 * Posts a batch. Resolves when the app has answered for each of its changes. A batch that the app finds malformed or too large is halved until the
 * change at fault stands alone.
 */
export async function postChanges(deps: ChangesDeps, batch: readonly ChangeParts[], signal: AbortSignal): Promise<void> {
  const outcome = await deliverChanges(deps, batch, signal)
  if (outcome.kind === 'accepted') {
    noteLag(deps, batch)
    for (const { seq, code, message } of outcome.rejected) {
      const change = batch.find((each) => each.seq === seq)
      if (change) await postRejected(deps, change, { code, message }, signal)
    }
    return
  }
  const [only] = batch
  const half = Math.ceil(batch.length / 2)
  if (batch.length > 1) {
    await postChanges(deps, batch.slice(0, half), signal)
    await postChanges(deps, batch.slice(half), signal)
  } else if (only) await postRejected(deps, only, problemOf(outcome), signal)
}

async function deliverChanges(deps: ChangesDeps, batch: readonly ChangeParts[], signal: AbortSignal): Promise<Accepted | RejectedEnvelope> {
  const outcome = await deps.delivery.deliver(changesEnvelope(headOf(deps), batch.map(changeText)), signal)
  if (outcome.kind !== 'accepted') return outcome
  deps.answers.follow(outcome.end)
  noteAccepted(deps.metrics, 'changes', { changes: batch.length, bytes: outcome.bytes })
  noteSizes(deps.metrics, deps.tracker)
  if (outcome.sendSnapshot !== undefined) deps.onSnapshotRequest(outcome.sendSnapshot)
  return outcome
}

export function headOf({ cluster, term, kept, clock }: ChangesDeps): EnvelopeHead {
  return { cluster, term, kept, sentAt: clock.now() }
}

const TOO_LARGE = 'INPUT.TOO_LARGE'

type Refusal = { readonly code: string; readonly message: string }

/**
 * Posts a change with the problem in place of a change that the app rejected. So the numbers have no gap, and the app can report the problem on the
 * object.
 */
async function postRejected(deps: ChangesDeps, change: ChangeParts, refusal: Refusal, signal: AbortSignal): Promise<void> {
  const { kind, key, seq } = change
  deps.metrics.rejects.inc()
  deps.log.error('the app does not take a change', { kind, key, seq, ...refusal })
  deps.tracker.giveUp(kind, key)
  if (change.op === 'invalid') return
  const text = `"problem":${JSON.stringify({ code: refusal.code === TOO_LARGE ? TOO_LARGE : 'INPUT.INVALID', message: refusal.message })}`
  await deliverChanges(deps, [{ ...change, op: 'invalid', text }], signal)
}

export function noteAccepted(
  metrics: ShimMetrics,
  body: 'changes' | 'snapshot',
  taken: { readonly changes: number; readonly bytes: number },
): void {
  metrics.batches.inc({ body })
  metrics.changesSent.inc({ body }, taken.changes)
  metrics.bytes.inc(taken.bytes)
}

function noteLag({ clock, metrics }: ChangesDeps, batch: readonly ChangeParts[]): void {
  const now = clock.now()
  for (const { at } of batch) metrics.lagSeconds.observe(Math.max(0, now - at) / 1000)
}

export function problemOf(outcome: RejectedEnvelope): Refusal {
  return { code: outcome.kind === 'malformed' ? outcome.code : TOO_LARGE, message: outcome.message }
}
