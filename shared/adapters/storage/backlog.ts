import { mapBounded } from '../../base/concurrency.ts'
import { leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { Backlog, QueueBacklog } from '../../ports/backlog.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { attempt, must } from './storageError.ts'

/** The calls on a storage queue that are needed here. `QueueClient` has them. */
export type QueueReader = {
  readonly name: string
  getProperties(options: { readonly abortSignal: AbortSignalLike }): Promise<{ readonly approximateMessagesCount?: number }>
  peekMessages(options: { readonly abortSignal: AbortSignalLike; readonly numberOfMessages: number }): Promise<{
    readonly peekedMessageItems: readonly { readonly insertedOn: Date }[]
  }>
}

/** The most messages that storage shows at once, from the front of the queue. */
const MOST_PEEKED = 32
const AT_ONCE = 8

/**
 * The backlog of storage queues. No message has a delay, so each could be taken since it was inserted. The host creates a poison queue only with its first
 * message, so a missing queue counts as empty.
 */
export function createBacklog(queues: readonly QueueReader[]): Backlog {
  return { look: (signal) => mapBounded(queues, AT_ONCE, (queue) => lookAt(queue, signal)) }
}

async function lookAt(queue: QueueReader, signal: AbortSignalLike): Promise<QueueBacklog> {
  const { name } = queue
  const options = { abortSignal: signal }
  const counted = await attempt(`count queue ${name}`, ['QueueNotFound'], signal, () => queue.getProperties(options))
  if (!counted.ok) return { queue: name, messages: 0 }
  const messages = counted.value.approximateMessagesCount
  if (messages === undefined)
    throw new Fault(`count queue ${name}`, problem('STORE.UNAVAILABLE', 'storage does not say how many messages there are'))
  if (messages === 0) return { queue: name, messages }
  const { peekedMessageItems: front } = await must(`peek at queue ${name}`, signal, () =>
    queue.peekMessages({ ...options, numberOfMessages: MOST_PEEKED }),
  )
  return defined({
    queue: name,
    messages,
    waitsSince: front.length === 0 ? undefined : epochMs(leastOf(front.map(({ insertedOn }) => insertedOn.getTime()))),
  })
}
