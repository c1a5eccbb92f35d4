import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { ClaimRequest, DecideRequest } from '../../model/work.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'

/** What flows have added to the work queue. */
export type AddedWork =
  | ({ readonly key: 'decide' } & DecideRequest)
  | { readonly key: 'decide'; readonly at: EpochMs }
  | { readonly key: 'decide'; readonly again: true }
  | ({ readonly key: 'claim'; readonly at: EpochMs } & ClaimRequest)

/** A work queue that only notes what is added. Nothing runs. */
export function createMemoryWorkQueue(added: AddedWork[], { now }: Pick<Clock, 'now'>): WorkQueue {
  return {
    decide: (request) => void added.push({ key: 'decide', ...request }),
    decideAt: (at) => void added.push({ key: 'decide', at }),
    decideAtEach(times) {
      for (const at of times) added.push({ key: 'decide', at })
    },
    retryDecide: () => void added.push({ key: 'decide', again: true }),
    forgetDecide: () => undefined,
    reconcile: (request, delayMs = 0) => void added.push({ key: 'claim', at: later(now(), durationMs(delayMs)), ...request }),
    follows: () => false,
    isShuttingDown: () => false,
  }
}
