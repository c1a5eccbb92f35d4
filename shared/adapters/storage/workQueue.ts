import { LONGEST_DELAY } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { printClaimMessage, printDoorbell } from '../../wire/message.ts'
import { must } from './storageError.ts'

/** The call on a storage queue that is needed here. `QueueClient` has it. */
export type QueueSender = {
  readonly name: string
  sendMessage(
    text: string,
    options: { readonly abortSignal: AbortSignalLike; readonly visibilityTimeout: number; readonly messageTimeToLive: number },
  ): Promise<unknown>
}

export type WorkQueues = {
  readonly reconcile: QueueSender
  readonly nodeclaim: QueueSender
}

/** How long a message lives once it can be taken. The resync timer has found everything in an older hint long before. */
export const LIFETIME_SECONDS = 3_600

/**
 * A work queue on storage queues. Messages are plain JSON text, since the host is configured for that, not for base64. Delays are rounded up to
 * seconds.
 */
export function createWorkQueue(queues: WorkQueues): WorkQueue {
  return {
    ring: (doorbell, delayMs, signal) => send(queues.reconcile, printDoorbell(doorbell), delayMs, signal),
    send: (message, delayMs, signal) => send(queues.nodeclaim, printClaimMessage(message), delayMs, signal),
  }
}

async function send(queue: QueueSender, text: string, delayMs: number, signal: AbortSignalLike): Promise<void> {
  const visibilityTimeout = Math.ceil(Math.min(Math.max(0, delayMs), LONGEST_DELAY) / 1000)
  await must(`send to queue ${queue.name}`, signal, () =>
    queue.sendMessage(text, { abortSignal: signal, visibilityTimeout, messageTimeToLive: visibilityTimeout + LIFETIME_SECONDS }),
  )
}
