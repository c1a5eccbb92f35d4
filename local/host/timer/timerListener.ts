import type { TypedData } from '../app/rpc.ts'
import type { HostClock } from '../base/hostClock.ts'
import { type HostLog, messageOf } from '../base/hostLog.ts'
import type { TimerSchedule } from './timerSchedule.ts'

/** The status as the platform stores it and as handlers see it, with ISO dates. */
export type ScheduleStatus = { readonly Last: string; readonly Next: string; readonly LastUpdated: string }

export type TimerLock = {
  /** Returns false once another host may have the lock. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

export type TimerStore = {
  acquireLock(functionName: string, seconds: number): Promise<TimerLock | undefined>
  readStatus(functionName: string): Promise<ScheduleStatus | undefined>
  writeStatus(functionName: string, status: ScheduleStatus): Promise<void>
}

export type TimerListenerOptions = {
  readonly functionName: string
  readonly schedule: TimerSchedule
  readonly runOnStartup: boolean
  readonly useMonitor: boolean
  readonly store: TimerStore
  readonly lockPeriodMs: number
  readonly lockRecoveryMs: number
  readonly clock: HostClock
  readonly log: HostLog
  /** Runs the handler with its retries and its outputs. Rejects if that fails. */
  readonly run: (data: TypedData) => Promise<void>
}

export type TimerListener = {
  /** Ends the schedule, waits for a run in progress and releases the lock. */
  stop(): Promise<void>
}

/** .NET's zero date, for a timer that never ran. */
const NEVER = '0001-01-01T00:00:00'

/** Runs one timer over all hosts of the storage. The host that has its lock runs it. */
export function startTimerListener(options: TimerListenerOptions): TimerListener {
  const stop = new AbortController()
  const loop = listen(options, stop.signal)
  return {
    stop: async () => {
      stop.abort()
      await loop
    },
  }
}

async function listen(options: TimerListenerOptions, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      const lock = await options.store.acquireLock(options.functionName, options.lockPeriodMs / 1000)
      if (lock !== undefined) await own(options, lock, stop)
    } catch (error) {
      options.log('error', 'Host.Triggers.Timer', `timer ${options.functionName}: ${messageOf(error)}`)
    }
    if (!stop.aborted) await options.clock.sleep(options.lockRecoveryMs, stop)
  }
}

async function own(options: TimerListenerOptions, lock: TimerLock, stop: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const over = new AbortController()
  const keeping = keepLock(options, lock, lost, over.signal)
  try {
    await schedule(options, AbortSignal.any([stop, lost.signal]))
  } finally {
    over.abort()
    await keeping
    if (!lost.signal.aborted) await lock.release().catch(() => undefined) // the lock ends by itself
  }
}

/** Renews the lock at half of its period, as the platform does (azure-webjobs-sdk, SingletonManager, read in November 2026). */
async function keepLock(options: TimerListenerOptions, lock: TimerLock, lost: AbortController, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await options.clock.sleep(options.lockPeriodMs / 2, over)
    if (over.aborted) return
    const kept = await lock.renew().catch(() => false)
    if (kept) continue
    options.log('warning', 'Host.Triggers.Timer', `timer ${options.functionName}: lost its lock; another host runs it now`)
    return lost.abort()
  }
}

async function schedule(options: TimerListenerOptions, end: AbortSignal): Promise<void> {
  const { clock } = options
  const isMonitored = options.useMonitor && !options.schedule.isSubMinute
  let status = isMonitored ? await currentStatus(options) : undefined
  const isPastDue = status !== undefined && clock.now() > Date.parse(status.Next)
  if (isPastDue || options.runOnStartup) status = await occur(options, status, isPastDue)
  while (!end.aborted) {
    const next = status === undefined ? options.schedule.next(clock.now()) : Math.max(Date.parse(status.Next), 0)
    // sleeps may end a little early, and long sleeps are cut into pieces
    while (!end.aborted && clock.now() < next) await clock.sleep(next - clock.now(), end)
    if (!end.aborted) status = await occur(options, status, false)
  }
}

/** Returns the stored status. The next occurrence is corrected if the schedule has changed since. */
async function currentStatus(options: TimerListenerOptions): Promise<ScheduleStatus> {
  const { clock, functionName, store } = options
  const stored = await store.readStatus(functionName)
  const now = clock.now()
  if (stored === undefined) {
    const fresh = { Last: NEVER, Next: iso(options.schedule.next(now)), LastUpdated: iso(now) }
    await store.writeStatus(functionName, fresh)
    return fresh
  }
  // Next is always stored as the first occurrence after LastUpdated
  const expected = iso(options.schedule.next(Date.parse(stored.LastUpdated)))
  if (expected === stored.Next) return stored
  const corrected = { ...stored, Next: expected }
  await store.writeStatus(functionName, corrected)
  return corrected
}

/** Runs the timer once. The next occurrence is computed from the end of the run, so runs never overlap. Undefined without a monitor. */
async function occur(
  options: TimerListenerOptions,
  status: ScheduleStatus | undefined,
  isPastDue: boolean,
): Promise<ScheduleStatus | undefined> {
  const { clock, functionName } = options
  const startedAt = clock.now()
  // the invoker has logged the error, and a failed timer is not repeated
  await options.run(timerData(status, isPastDue)).catch(() => undefined)
  if (status === undefined) return undefined
  const now = clock.now()
  const after = { Last: iso(startedAt), Next: iso(options.schedule.next(Math.max(now, startedAt))), LastUpdated: iso(now) }
  await options.store.writeStatus(functionName, after)
  return after
}

export function timerData(status: ScheduleStatus | undefined, isPastDue: boolean): TypedData {
  return { json: JSON.stringify({ Schedule: { AdjustForDST: true }, ScheduleStatus: status ?? null, IsPastDue: isPastDue }) }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
