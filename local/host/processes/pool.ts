import { HostError } from '../base/hostError.ts'
import { createWorkerRestarts, EXIT_TIMED_OUT } from '../workerRestarts.ts'
import type { Group } from './groups.ts'
import type { Instance } from './instance.ts'

export type PoolOptions = {
  readonly group: Group
  /** At most this many processes. */
  readonly most: number
  /** Processes are started again when they end, without a trigger. */
  readonly staysUp: boolean
  readonly start: (onEnd: (exitCode: number | null) => void) => Instance
  /** A worker of the group has died so often that its host ends. */
  readonly onHostEnd: () => void
}

/** The processes of one group. */
export type Pool = {
  readonly group: Group
  /** A process for a request, one after the other. */
  forRequest(): Promise<Instance>
  /** A trigger other than HTTP has come in. */
  trigger(): Promise<void>
  stop(): Promise<void>
}

export function createPool(options: PoolOptions): Pool {
  const { group, most } = options
  const slots = Array.from({ length: most }, () => createSlot(options))
  let turn = 0
  return {
    group,
    forRequest: () => {
      turn = (turn + 1) % most
      return slots[turn]?.get() ?? Promise.reject(new HostError(`group ${group.name} has no instance`))
    },
    trigger: async () => {
      // one that rests already, then a new one, then any: it takes the message when it is free
      const idle = slots.find((slot) => slot.running()?.busy() === 0) ?? slots.find((slot) => slot.running() === undefined) ?? slots[0]
      const instance = await idle?.get()
      instance?.wake()
    },
    stop: async () => {
      await Promise.all(slots.map(async (slot) => slot.stop()))
    },
  }
}

type Slot = { running(): Instance | undefined; get(): Promise<Instance>; stop(): Promise<void> }

/** A place for one process. The next one comes up as late as the platform has a new worker after a death. */
function createSlot({ start, staysUp, onHostEnd }: PoolOptions): Slot {
  const worker = createWorkerRestarts()
  let running: Instance | undefined
  let away: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const ended = (exitCode: number | null): void => {
    running = undefined
    if (isStopped) return
    // no exit code: in the harsh mode the whole instance was taken away, else the worker was killed
    const hasDied = exitCode === null ? staysUp : exitCode !== EXIT_TIMED_OUT
    if (hasDied) {
      const { waitMs, hostEnds } = worker.died(Date.now())
      if (hostEnds) return onHostEnd()
      away = new Promise((resolve) => setTimeout(resolve, waitMs))
    }
    // one that cannot start dies again
    if (staysUp) void get().catch(() => undefined)
  }
  const get = async (): Promise<Instance> => {
    await away
    running ??= start(ended)
    const instance = running
    await instance.url
    return instance
  }
  return {
    running: () => running,
    get,
    stop: async () => {
      isStopped = true
      await running?.stop()
    },
  }
}
