import { mapBounded } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { Backlog, QueueBacklog } from '../../ports/backlog.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { must } from './storageError.ts'
import { LIFETIME_SECONDS } from './workQueue.ts'

/** What is asked of a storage queue: a `QueueClient` has it. */
export type QueueSight = {
  readonly name: string
  getProperties(options: { readonly abortSignal: AbortSignalLike }): Promise<{ readonly approximateMessagesCount?: number }>
  peekMessages(options: { readonly abortSignal: AbortSignalLike; readonly numberOfMessages: number }): Promise<{
    readonly peekedMessageItems: readonly { readonly expiresOn: Date }[]
  }>
}

/** As many as storage shows at once, from the front. */
const MOST_PEEKED = 32
const AT_ONCE = 8

export function createBacklog(queues: readonly QueueSight[]): Backlog {
  return { look: (signal) => mapBounded(queues, AT_ONCE, (queue) => lookAt(queue, signal)) }
}

/** Each message ends so long after it could first be taken. Storage says when it was put in, which with a delay is another time. */
async function lookAt(queue: QueueSight, signal: AbortSignalLike): Promise<QueueBacklog> {
  const { name } = queue
  const options = { abortSignal: signal }
  const { approximateMessagesCount: messages } = await must(`count queue ${name}`, signal, () => queue.getProperties(options))
  if (messages === undefined)
    throw new Fault(`count queue ${name}`, problem('STORE.UNAVAILABLE', 'storage does not say how many messages there are'))
  if (messages === 0) return { queue: name, messages }
  const { peekedMessageItems: front } = await must(`peek at queue ${name}`, signal, () =>
    queue.peekMessages({ ...options, numberOfMessages: MOST_PEEKED }),
  )
  const since = leastOf(front.map(({ expiresOn }) => expiresOn.getTime() - LIFETIME_SECONDS * 1_000))
  return defined({ queue: name, messages, waitsSince: front.length === 0 ? undefined : epochMs(since) })
}
