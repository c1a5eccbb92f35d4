import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../base/hostLog.ts'
import { createTriggerQueues } from '../queue/triggerQueue.ts'
import { parseSchedule } from '../timer/timerSchedule.ts'
import type { Group } from './groups.ts'

/** How often a queue is looked at from outside. Azure publishes no figure for Flex Consumption. */
const LOOK_MS = 500

export type TriggersOptions = {
  readonly group: Group
  readonly signal: AbortSignal
  readonly trigger: () => Promise<void>
  readonly say: (message: string) => void
}

/** Calls `trigger` when a message of the group is visible, and when a timer of the group is due. */
export function watchTriggers({ group, signal, trigger, say }: TriggersOptions): void {
  const queueOf = createTriggerQueues()
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    await run().catch((error: unknown) => say(`group ${group.name}: ${messageOf(error)}`))
  }
  const forever = async (run: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) await run()
  }
  for (const { name, trigger: by } of group.functions) {
    if (by.kind === 'queue') {
      const queue = queueOf(by.connection, by.queueName)
      void forever(async () => {
        await attempt(async () => {
          if (await queue.hasVisible()) await trigger()
        })
        await delay(LOOK_MS)
      })
    }
    if (by.kind === 'timer') {
      const schedule = parseSchedule(name, by.schedule)
      void forever(async () => {
        await delay(Math.max(0, schedule.next(Date.now()) - Date.now()))
        await attempt(trigger)
      })
    }
  }
}
