import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FunctionOutput, InvocationContext } from '@azure/functions'
import type { FunctionApp } from '../../functions/functionApp.ts'
import type { TypedData } from '../../local/host/app/rpc.ts'
import type { HostClock } from '../../local/host/base/hostClock.ts'
import { readHostConfig } from '../../local/host/base/hostConfig.ts'
import { type QueueListener, startQueueListener } from '../../local/host/queue/queueListener.ts'
import { type ScheduleStatus, startTimerListener, type TimerListener, type TimerStore } from '../../local/host/timer/timerListener.ts'
import { parseSchedule } from '../../local/host/timer/timerSchedule.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import type { Counts } from './counts.ts'
import type { VirtualQueues } from './virtualQueues.ts'

/** How long the platform hides a message while a function works on it. */
const MESSAGE_LEASE_SECONDS = 600

/** A function as it was registered. */
export type Registered = {
  readonly kind: 'http' | 'queue' | 'timer'
  readonly handler: (input: never, context: InvocationContext) => unknown
  readonly queueName?: string
  readonly schedule?: string
  readonly useMonitor?: boolean
  readonly extraOutputs?: readonly FunctionOutput[]
}

/** The app of a Functions host, which keeps the registered functions. */
export function recording(functions: Map<string, Registered>): FunctionApp {
  const by =
    (kind: Registered['kind']) =>
    (name: string, options: Omit<Registered, 'kind'>): void =>
      void functions.set(name, { ...options, kind })
  return { http: by('http'), storageQueue: by('queue'), timer: by('timer'), eventGrid: by('http'), hook: {} } as unknown as FunctionApp
}

type Listening = {
  readonly clock: VirtualClock
  readonly queues: VirtualQueues
  readonly storage: Counts
  readonly run: (name: string, input: unknown) => Promise<unknown>
}

/**
 * Starts one host that runs every queue function and the timer. The host uses the settings of host.json. In Azure each function has separate
 * instances, and most instances do not run.
 */
export function startListeners(
  functions: ReadonlyMap<string, Registered>,
  { clock, queues, storage, run }: Listening,
): readonly (QueueListener | TimerListener)[] {
  const config = readHostConfig(JSON.parse(readFileSync(join(repositoryRoot, 'host.json'), 'utf8')), {})
  const hostClock: HostClock = {
    now: clock.now,
    random: () => 0.5,
    sleep: (ms, signal) => clock.sleep(ms, signal).catch(() => undefined),
  }
  const log = (): void => undefined
  return [...functions].flatMap(([name, { kind, queueName, schedule, useMonitor = true }]) => {
    if (kind === 'queue' && queueName !== undefined) {
      const poison = queueName.endsWith('-poison') ? undefined : queues.triggerQueue(`${queueName}-poison`)
      const handle = async (data: TypedData): Promise<void> => void (await run(name, JSON.parse(data.string ?? '')))
      const queue = queues.triggerQueue(queueName)
      return [
        startQueueListener({
          queue,
          poison,
          config: config.queues,
          leaseSeconds: MESSAGE_LEASE_SECONDS,
          clock: hostClock,
          log,
          hold: () => undefined,
          run: handle,
        }),
      ]
    }
    if (kind !== 'timer' || schedule === undefined) return []
    return [
      startTimerListener({
        functionName: name,
        schedule: parseSchedule(name, schedule),
        runOnStartup: false,
        useMonitor,
        store: timerStore(storage),
        lockPeriodMs: config.listenerLockPeriodMs,
        lockRecoveryMs: config.listenerLockRecoveryPollingIntervalMs,
        clock: hostClock,
        log,
        run: async (data) => void (await run(name, JSON.parse(data.json ?? '{}'))),
      }),
    ]
  })
}

function timerStore(storage: Counts): TimerStore {
  let status: ScheduleStatus | undefined
  return {
    async acquireLock() {
      storage.add('host: take the lock of the timer')
      return {
        async renew() {
          storage.add('host: renew the lock of the timer')
          return true
        },
        release: async () => undefined,
      }
    },
    async readStatus() {
      storage.add('host: read when the timer runs')
      return status
    },
    async writeStatus(_name, next) {
      storage.add('host: write when the timer runs')
      status = next
    },
  }
}
