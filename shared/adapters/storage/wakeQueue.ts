import type { AbortSignalLike } from '../../ports/clock.ts'
import type { WakeQueue } from '../../ports/wakeQueue.ts'
import { printWake } from '../../wire/wake.ts'
import { must } from './storageError.ts'

/** The call on a storage queue that is needed here. `QueueClient` has it. */
export type QueueSender = {
  readonly name: string
  sendMessage(text: string, options: { readonly abortSignal: AbortSignalLike; readonly messageTimeToLive: number }): Promise<unknown>
}

/** How long a message lives. The timer has found the work long before. */
const LIFETIME_SECONDS = 3_600

/** The wake queue on a storage queue. Messages are plain JSON text, since the host is configured for that, not for base64. */
export function createWakeQueue(queue: QueueSender): WakeQueue {
  return {
    wake: (cluster, signal) =>
      must(`send to queue ${queue.name}`, signal, async () => {
        await queue.sendMessage(printWake({ cluster }), { abortSignal: signal, messageTimeToLive: LIFETIME_SECONDS })
      }),
  }
}
