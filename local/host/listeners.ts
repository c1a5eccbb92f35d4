import { type HostFunction, unlessWrong } from './app/hostFunction.ts'
import type { TypedData } from './app/rpc.ts'
import type { HostClock } from './base/hostClock.ts'
import type { HostConfig } from './base/hostConfig.ts'
import type { FunctionError } from './base/hostError.ts'
import type { HostLog } from './base/hostLog.ts'
import type { StorageConnection } from './base/storageConnection.ts'
import { type QueueListener, startQueueListener } from './queue/queueListener.ts'
import type { TriggerQueue } from './queue/triggerQueue.ts'
import { startTimerListener, type TimerListener, type TimerStore } from './timer/timerListener.ts'
import { parseSchedule, type TimerSchedule } from './timer/timerSchedule.ts'

export type ListenersOptions = {
  readonly functions: readonly HostFunction[]
  readonly schedules: Schedules
  readonly config: HostConfig
  readonly clock: HostClock
  readonly log: HostLog
  readonly run: (target: HostFunction, data: TypedData, metadata?: { readonly [name: string]: TypedData }) => Promise<unknown>
  readonly queueOf: (connection: StorageConnection, name: string) => TriggerQueue
  readonly timerStore: TimerStore
  readonly leaseSeconds: number
  readonly onHeld: (messages: number) => void
}

export type Schedules = ReadonlyMap<HostFunction, TimerSchedule>

/** Reads the schedules of all timers. A timer with a wrong one never runs. */
export function readSchedules(functions: readonly HostFunction[], leaveOut: (error: FunctionError) => void): Schedules {
  const schedules = new Map<HostFunction, TimerSchedule>()
  for (const target of functions) {
    const { name, trigger } = target
    const schedule = trigger.kind === 'timer' ? unlessWrong(() => parseSchedule(name, trigger.schedule), leaveOut) : undefined
    if (schedule !== undefined) schedules.set(target, schedule)
  }
  return schedules
}

export type Listeners = {
  /** A function of this host wrote to the queue, so its listener on this host polls at once. */
  written(queueName: string): void
  /** All queue listeners poll at once. */
  poll(): void
  stop(): Promise<void>
}

/** Starts the listeners: one for each queue function, and one for each timer. */
export function startListeners(options: ListenersOptions): Listeners {
  const queues: QueueListener[] = []
  const timers: TimerListener[] = []
  let held = 0
  const hold = (change: 1 | -1) => {
    held += change
    options.onHeld(held)
  }
  const enabled = options.functions.filter((target) => !target.disabled)
  for (const target of enabled) {
    const { trigger } = target
    const schedule = options.schedules.get(target)
    if (trigger.kind === 'queue') queues.push(queueListenerOf(target, trigger, options, hold))
    if (trigger.kind !== 'timer' || schedule === undefined) continue
    timers.push(
      startTimerListener({
        functionName: target.name,
        schedule,
        runOnStartup: trigger.runOnStartup,
        useMonitor: trigger.useMonitor,
        store: options.timerStore,
        lockPeriodMs: options.config.listenerLockPeriodMs,
        lockRecoveryMs: options.config.listenerLockRecoveryPollingIntervalMs,
        clock: options.clock,
        log: options.log,
        run: async (data) => void (await options.run(target, data)),
      }),
    )
  }
  return {
    written: (queueName) => {
      for (const listener of queues) if (listener.queueName === queueName) listener.notify()
    },
    poll: () => {
      for (const listener of queues) listener.notify()
    },
    stop: async () => {
      await Promise.all([...queues, ...timers].map((listener) => listener.stop()))
    },
  }
}

function queueListenerOf(
  target: HostFunction,
  trigger: { readonly queueName: string; readonly connection: StorageConnection },
  options: ListenersOptions,
  hold: (change: 1 | -1) => void,
): QueueListener {
  const { connection, queueName } = trigger
  return startQueueListener({
    queue: options.queueOf(connection, queueName),
    poison: queueName.endsWith('-poison') ? undefined : options.queueOf(connection, `${queueName}-poison`),
    config: options.config.queues,
    leaseSeconds: options.leaseSeconds,
    clock: options.clock,
    log: options.log,
    hold,
    run: async (data, metadata) => void (await options.run(target, data, metadata)),
  })
}
