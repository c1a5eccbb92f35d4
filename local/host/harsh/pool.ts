import { setTimeout as delay } from 'node:timers/promises'
import { HostError } from '../base/hostError.ts'
import { createWorkerRestarts, EXIT_WORKER_DIED } from '../workerRestarts.ts'
import type { Group } from './groups.ts'
import type { Instance } from './instance.ts'

export type PoolOptions = {
  readonly group: Group
  /** At most this many processes. */
  readonly most: number
  readonly start: (onEnd: (exitCode: number | null) => void) => Instance
}

/** The processes of one group. There are none until a trigger comes in. */
export type Pool = {
  readonly group: Group
  /** A process for a request, one after the other. */
  forRequest(): Promise<Instance>
  /** A trigger other than HTTP has come in. */
  trigger(): Promise<void>
  stop(): Promise<void>
}

export function createPool({ group, most, start }: PoolOptions): Pool {
  const slots = Array.from({ length: most }, () => createSlot(start))
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
      await Promise.all(slots.map(async (slot) => slot.running()?.stop()))
    },
  }
}

type Slot = { running(): Instance | undefined; get(): Promise<Instance> }

/** A place for one process. The next one comes up as late as the platform has a new worker after a death. */
function createSlot(start: PoolOptions['start']): Slot {
  const worker = createWorkerRestarts()
  let running: Instance | undefined
  let away: Promise<unknown> = Promise.resolve()
  const get = async (): Promise<Instance> => {
    await away
    running ??= start((exitCode) => {
      running = undefined
      if (exitCode === EXIT_WORKER_DIED) away = delay(worker.died(Date.now()).waitMs)
    })
    const instance = running
    await instance.url
    return instance
  }
  return { running: () => running, get }
}
