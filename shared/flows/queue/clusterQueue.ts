import { createExponentialRateLimiter, createWorkQueue, type WorkQueue as KeyQueue } from '../../base/workQueue.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import { type ClaimRequest, claimKey, type DecideRequest, type WorkKey } from '../../model/work.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { createBatchWindow } from './batchWindow.ts'
import { createClaimRequests } from './claimRequests.ts'

/** One run of a key, with what its requests say. */
export type Work =
  | { readonly key: 'decide'; readonly requests: readonly DecideRequest[] }
  | { readonly key: 'compact' }
  | { readonly key: WorkKey; readonly request: ClaimRequest }

/** The work queue of one cluster, as the part of the process that runs the keys uses it. */
export interface ClusterQueue extends WorkQueue {
  /** Adds the key `compact`. */
  compact(): void
  /** Takes the next work that is due. Undefined: none is due, or the process ends. */
  get(): Work | undefined
  done(work: Work): void
  /** Adds the key again, with back-off and with its requests. Returns the number of failures in a row. */
  failed(work: Work): number
  /** Ends the back-off of the key. */
  forget(key: WorkKey): void
  /** The number of keys that wait or run. */
  size(): number
  /** The number of runs that are under way. */
  running(): number
  /** When `get` returns the next work. Undefined: none waits, except for the end of its run. */
  nextAt(): EpochMs | undefined
  /** When the next work is due. The time of work that runs is over. Undefined: nothing waits or runs. */
  nextDueAt(): EpochMs | undefined
  /** The requests of claims that wait. */
  waiting(): readonly ClaimRequest[]
  /** Resolves when a key is added or done. */
  changed(): Promise<void>
  /** No more work begins. */
  shutDown(): void
}

export type ClusterQueueOptions = {
  readonly clock: Pick<Clock, 'now'>
  /** The durations of the batch window. */
  readonly batch: { readonly idle: DurationMs; readonly max: DurationMs }
}

/** The first and the longest pause after a failure. */
const SHORTEST_PAUSE = durationMs(1_000)
const LONGEST_PAUSE = durationMs(60_000)
export function createClusterQueue({ clock, batch }: ClusterQueueOptions): ClusterQueue {
  const limiter = createExponentialRateLimiter<WorkKey>(SHORTEST_PAUSE, LONGEST_PAUSE)
  const queue = createWorkQueue<WorkKey>({ now: clock.now, limiter, isFirst: (key) => key === 'decide' })
  const watchers: (() => void)[] = []
  let isOver = false

  function announce(): void {
    for (const watcher of watchers.splice(0)) watcher()
  }

  function add(key: WorkKey, delayMs = 0): void {
    queue.addAfter(key, delayMs)
    announce()
  }

  const decisions = createDecisions({ clock, batch, pause: () => limiter.when('decide') }, (delayMs) => add('decide', delayMs))
  const claims = createClaimRequests(clock, queue)

  /** Undefined if the key has to wait after all. */
  function begin(key: WorkKey): Work | undefined {
    if (key === 'compact') return { key }
    if (key === 'decide') return decisions.begin()
    const request = claims.take(key)
    return request && { key, request }
  }

  return {
    ...decisions.adds,
    forgetDecide: () => queue.forget('decide'),
    reconcile(request, delayMs = 0) {
      claims.note(request, delayMs)
      add(claimKey(request.claim), delayMs)
    },
    follows: claims.follows,
    isShuttingDown: () => isOver,
    compact: () => add('compact'),
    get() {
      for (let key = isOver ? undefined : queue.get(); key !== undefined; key = queue.get()) {
        const work = begin(key)
        if (work !== undefined) return work
        queue.done(key)
      }
      return undefined
    },
    done({ key }) {
      claims.done(key)
      queue.done(key)
      announce()
    },
    failed(work) {
      if ('requests' in work) decisions.failed(work.requests)
      else if ('request' in work) claims.failed(work.request)
      if (work.key !== 'decide') queue.addRateLimited(work.key)
      return queue.numRequeues(work.key)
    },
    ...figuresOf(queue, clock),
    forget: queue.forget,
    waiting: claims.waiting,
    changed: () => new Promise((resolve) => void watchers.push(resolve)),
    shutDown() {
      isOver = true
      announce()
    },
  }
}

function figuresOf(
  { size, running, nextAt }: KeyQueue<WorkKey>,
  clock: Pick<Clock, 'now'>,
): Pick<ClusterQueue, 'size' | 'running' | 'nextAt' | 'nextDueAt'> {
  return { size, running, nextAt: () => timeOf(nextAt()), nextDueAt: () => (running() > 0 ? clock.now() : timeOf(nextAt())) }
}

function timeOf(at: number | undefined): EpochMs | undefined {
  return at === undefined ? undefined : epochMs(at)
}

type DecisionOptions = ClusterQueueOptions & { readonly pause: () => number }

/** The requests and the times of the key `decide`. `add` adds the key. */
function createDecisions({ clock, batch, pause }: DecisionOptions, add: (delayMs?: number) => void) {
  const window = createBatchWindow({ clock, ...batch })
  let times: readonly EpochMs[] = []
  let retryAt = epochMs(0)

  /** A decision that fails before the time of its retry, since it had another reason, does not make the pause longer. */
  function retryDecide(): void {
    const now = clock.now()
    if (retryAt <= now || retryAt > now + LONGEST_PAUSE) retryAt = epochMs(now + pause())
    add(retryAt - now)
  }

  const adds: Pick<WorkQueue, 'decide' | 'decideAt' | 'decideAtEach' | 'retryDecide'> = {
    decide(request) {
      window.add(request)
      add()
    },
    decideAt: (at) => add(at - clock.now()),
    decideAtEach(each) {
      times = each
      for (const at of each) add(at - clock.now())
    },
    retryDecide,
  }

  return {
    adds,
    /** Undefined if the batch window is still open: the key then waits for its end. */
    begin(): Work | undefined {
      const [now, closesAt] = [clock.now(), window.closesAt()]
      times = times.filter((at) => at > now)
      const next = closesAt > now ? closesAt : times[0]
      if (next !== undefined) add(next - now)
      return closesAt > now ? undefined : { key: 'decide', requests: window.take() }
    },
    failed(requests: readonly DecideRequest[]): void {
      for (const each of requests) window.add(each)
      retryDecide()
    },
  }
}
