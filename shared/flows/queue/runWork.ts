import { mapBounded, settle } from '../../base/concurrency.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault } from '../../model/problem.ts'
import type { ClaimRequest, DecideRequest } from '../../model/work.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { WakeQueue } from '../../ports/wakeQueue.ts'
import type { ClusterQueue, Work } from './clusterQueue.ts'

/** The work behind the keys of one cluster. */
export type Workers = {
  readonly decide: (requests: readonly DecideRequest[], signal: AbortSignalLike) => Promise<unknown>
  readonly compact: (signal: AbortSignalLike) => Promise<unknown>
  readonly step: (request: ClaimRequest, signal: AbortSignalLike) => Promise<unknown>
  /** Reports work that fails again and again. Never rejects. */
  readonly failing: (work: Work, thrown: unknown) => Promise<unknown>
}

export type WorkOptions = {
  readonly cluster: ClusterId
  readonly queue: ClusterQueue
  readonly telemetry: Telemetry
  readonly workers: () => Workers
  /** Returns a signal that aborts after the time that one run may take. */
  readonly budget: () => AbortSignalLike
  /** Called after each run. */
  readonly afterwards?: () => void
}

/** From this failure in a row on, each failure is reported: half a minute after the first one. */
const REPORTED_FROM = 6
/** The most runs at a time. Their calls to the API server and to Azure have limits of their own. */
const MOST_RUNNING = 256

/** How one run ended. */
export type Ran = { readonly ok: true } | { readonly ok: false; readonly error: unknown }

/** Returns a function that runs one key. A run that fails is tried again with back-off, for as long as it fails. Never rejects. */
export function createWorker({ cluster, queue, telemetry, workers, budget, afterwards }: WorkOptions): (work: Work) => Promise<Ran> {
  return async (work) => {
    const ran = await settle(() => perform(workers(), work, budget()))
    if (ran.ok) {
      // A decision says itself whether it is to be made again.
      if (work.key !== 'decide') queue.forget(work.key)
    } else {
      logFailed(telemetry, { cluster, key: work.key }, ran.error)
      if (queue.failed(work) >= REPORTED_FROM) await workers().failing(work, ran.error)
    }
    // The key counts as running until then, so that an invocation covers the report.
    queue.done(work)
    afterwards?.()
    return ran
  }
}

function perform(workers: Workers, work: Work, signal: AbortSignalLike): Promise<unknown> {
  if ('requests' in work) return workers.decide(work.requests, signal)
  return 'request' in work ? workers.step(work.request, signal) : workers.compact(signal)
}

function logFailed(telemetry: Telemetry, { cluster, key }: { readonly cluster: ClusterId; readonly key: string }, cause: unknown): void {
  const text = `${key} failed and is tried again: ${String(cause)}`
  if (cause instanceof Fault) telemetry.warn(text, { cluster, code: cause.problem.code })
  else telemetry.error(text, { cluster })
}

export type RunOptions = {
  readonly queue: ClusterQueue
  readonly clock: Clock
  readonly work: (work: Work) => Promise<unknown>
  /** Whether work may begin now: an invocation covers it. */
  readonly isOpen: () => boolean
  /** Resolves when work may begin. */
  readonly mayBegin: () => Promise<void>
}

/** The longest sleep. A timer of the platform cannot be set for more than some weeks. */
const LONGEST_SLEEP_MS = 3_600_000

/** Runs the keys of a queue when they are due and work may begin, until the process ends. */
export async function runWork({ queue, clock, work, isOpen, mayBegin }: RunOptions): Promise<void> {
  let opening: Promise<void> | undefined
  while (!queue.isShuttingDown()) {
    const changed = queue.changed()
    const dueInMs = queue.running() >= MOST_RUNNING ? undefined : msUntilNext(queue, clock)
    if (dueInMs === undefined) await changed
    else if (dueInMs > 0) await Promise.race([changed, sleep(Math.min(dueInMs, LONGEST_SLEEP_MS), changed, clock)])
    else if (isOpen()) begin(queue, work)
    else {
      opening ??= mayBegin().finally(() => {
        opening = undefined
      })
      await Promise.race([opening, changed])
    }
  }
}

function msUntilNext(queue: ClusterQueue, clock: Clock): number | undefined {
  const at = queue.nextAt()
  return at === undefined ? undefined : at - clock.now()
}

function begin(queue: ClusterQueue, work: RunOptions['work']): void {
  const next = queue.get()
  if (next !== undefined) void work(next)
}

/** Resolves after the time, or when there is no need to sleep any longer. */
async function sleep(ms: number, until: Promise<void>, clock: Clock): Promise<void> {
  const isOver = new AbortController()
  void until.then(() => isOver.abort())
  await settle(() => clock.sleep(ms, isOver.signal))
}

export type HandOverOptions = {
  readonly cluster: ClusterId
  readonly queue: ClusterQueue
  readonly wakes: WakeQueue
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly budget: () => AbortSignalLike
  /** Leaves a claim whose run has not begun to another process. */
  readonly leave: (request: ClaimRequest, signal: AbortSignalLike) => Promise<unknown>
}

/** The longest time in which claims are left. The process that ends has little time. */
const LEAVING_MS = 500
const LEFT_AT_ONCE = 16

/**
 * Ends the work of this process for a cluster, and wakes another process if any is left, which finds it in the cluster. Work that a run under way
 * adds from then on is found by the other process, too, or else by the timer. Never rejects.
 */
export async function handOver({ cluster, queue, wakes, clock, telemetry, budget, leave }: HandOverOptions): Promise<void> {
  queue.shutDown()
  if (queue.size() === 0) return
  const isDone = new AbortController()
  const timeOut = settle(() => clock.sleep(LEAVING_MS, isDone.signal))
  await Promise.race([
    timeOut,
    settle(() => mapBounded(queue.waiting(), LEFT_AT_ONCE, (request) => settle(() => leave(request, budget())))),
  ])
  isDone.abort()
  const sent = await settle(() => wakes.wake(cluster, budget()))
  if (sent.ok) return
  const code = sent.error instanceof Fault ? { code: sent.error.problem.code } : {}
  telemetry.warn(`work of ${cluster} is left to the timer: ${String(sent.error)}`, { cluster, ...code })
}
