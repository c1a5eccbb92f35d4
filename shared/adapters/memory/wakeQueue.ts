import { leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { ClusterId } from '../../model/ids.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WakeQueue } from '../../ports/wakeQueue.ts'
import type { Connection } from './connection.ts'

/** The messages that nobody has taken yet. */
export type WakeTruth = { readonly cluster: ClusterId; readonly at: EpochMs }[]

export function createMemoryWakeQueue(truth: WakeTruth, clock: Pick<Clock, 'now'>, connection: Connection): WakeQueue {
  return {
    wake: (cluster, signal) => connection.write('wakes.wake', cluster, signal, () => void truth.push({ cluster, at: clock.now() })),
  }
}

export function createMemoryBacklog(truth: WakeTruth, connection: Connection): Backlog {
  return {
    look: (signal) =>
      connection.read('backlog.look', 'queues', signal, () => {
        const waitsSince = truth.length === 0 ? undefined : epochMs(leastOf(truth.map(({ at }) => at)))
        return [defined({ queue: 'wake', messages: truth.length, waitsSince })]
      }),
  }
}
