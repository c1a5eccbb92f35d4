import { LONGEST_DELAY } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { printClaimMessage, printDoorbell } from '../../wire/message.ts'
import { must } from './storageError.ts'

/** What is asked of a storage queue: a `QueueClient` has it. */
export type QueueEnd = {
  readonly name: string
  sendMessage(
    text: string,
    options: { readonly abortSignal: AbortSignalLike; readonly visibilityTimeout: number; readonly messageTimeToLive: number },
  ): Promise<unknown>
}

export type WorkQueues = {
  readonly reconcile: QueueEnd
  readonly nodeclaim: QueueEnd
}

/** A hint an hour old says nothing that the resync timer has not found long since. */
export const LIFETIME_SECONDS = 3_600

/** Storage queues: JSON text as it is, since the host is told not to expect base64. Delays are rounded up to whole seconds. */
export function createWorkQueue(queues: WorkQueues): WorkQueue {
  return {
    ring: (doorbell, delayMs, signal) => send(queues.reconcile, printDoorbell(doorbell), delayMs, signal),
    send: (message, delayMs, signal) => send(queues.nodeclaim, printClaimMessage(message), delayMs, signal),
  }
}

async function send(queue: QueueEnd, text: string, delayMs: number, signal: AbortSignalLike): Promise<void> {
  const visibilityTimeout = Math.ceil(Math.min(Math.max(0, delayMs), LONGEST_DELAY) / 1000)
  await must(`send to queue ${queue.name}`, signal, () =>
    queue.sendMessage(text, { abortSignal: signal, visibilityTimeout, messageTimeToLive: visibilityTimeout + LIFETIME_SECONDS }),
  )
}
