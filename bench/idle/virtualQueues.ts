import type { ReceivedMessage, TriggerQueue } from '../../local/host/queue/triggerQueue.ts'
import type { QueueReader } from '../../shared/adapters/storage/backlog.ts'
import type { QueueSender } from '../../shared/adapters/storage/wakeQueue.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Counts } from './counts.ts'

type Message = {
  readonly id: string
  readonly text: string
  readonly insertedAt: number
  visibleAt: number
  dequeueCount: number
  receipt: number
}

/** Storage queues in virtual time, with the interfaces for the host and for the app. Each request is counted. */
export interface VirtualQueues {
  /** Returns the interface of a queue for the host's listener. */
  triggerQueue(name: string): TriggerQueue
  /** Returns the interface of a queue for the app. */
  client(name: string): QueueSender & QueueReader
  /** Returns the number of messages in the queue. Hidden messages count as well. */
  waiting(name: string): number
}

export function createVirtualQueues(clock: Pick<Clock, 'now'>, counts: Counts): VirtualQueues {
  const queues = new Map<string, Map<string, Message>>()
  let sent = 0

  function messagesOf(name: string): Map<string, Message> {
    const messages = queues.get(name) ?? new Map<string, Message>()
    queues.set(name, messages)
    return messages
  }

  function put(name: string, text: string, delaySeconds: number): void {
    const now = clock.now()
    const message = { id: `m-${++sent}`, text, insertedAt: now, visibleAt: now + delaySeconds * 1_000, dequeueCount: 0, receipt: 0 }
    messagesOf(name).set(message.id, message)
  }

  /** Returns the message. Undefined if another receiver has it by now. */
  function held(name: string, id: string, popReceipt: string): Message | undefined {
    const message = messagesOf(name).get(id)
    return message?.receipt === Number(popReceipt) ? message : undefined
  }

  return {
    waiting: (name) => messagesOf(name).size,
    client: (name) => ({
      name,
      async sendMessage(text) {
        counts.add(`send to ${name}`)
        put(name, text, 0)
      },
      async getProperties() {
        counts.add(`count ${name}`)
        return { approximateMessagesCount: messagesOf(name).size }
      },
      async peekMessages() {
        counts.add(`peek at ${name}`)
        const visible = [...messagesOf(name).values()].filter(({ visibleAt }) => visibleAt <= clock.now())
        const peekedMessageItems = visible.map(({ insertedAt }) => ({ insertedOn: new Date(insertedAt) }))
        return { peekedMessageItems }
      },
    }),
    triggerQueue: (name) => ({
      name,
      hasVisible: async () => [...messagesOf(name).values()].some(({ visibleAt }) => visibleAt <= clock.now()),
      async receive(max, leaseSeconds) {
        counts.add(`look at ${name}`)
        const now = clock.now()
        const due = [...messagesOf(name).values()].filter(({ visibleAt }) => visibleAt <= now).slice(0, max)
        return due.map((message) => {
          message.visibleAt = now + leaseSeconds * 1_000
          message.dequeueCount++
          message.receipt++
          return received(message)
        })
      },
      async hide(id, popReceipt, seconds) {
        counts.add(`hide in ${name}`)
        const message = held(name, id, popReceipt)
        if (message === undefined) throw Object.assign(new Error('no such message'), GONE)
        message.visibleAt = clock.now() + seconds * 1_000
        return String(++message.receipt)
      },
      async remove(id, popReceipt) {
        counts.add(`remove from ${name}`)
        if (held(name, id, popReceipt) !== undefined) messagesOf(name).delete(id)
      },
      async send(text) {
        counts.add(`send to ${name}`)
        put(name, text, 0)
      },
    }),
  }
}

const GONE = { statusCode: 404, code: 'MessageNotFound' }
const LIFETIME_MS = 3_600_000

function received({ id, text, receipt, dequeueCount, insertedAt, visibleAt }: Message): ReceivedMessage {
  const insertedOn = new Date(insertedAt)
  const expiresOn = new Date(insertedAt + LIFETIME_MS)
  return { id, popReceipt: String(receipt), text, dequeueCount, insertedOn, expiresOn, nextVisibleOn: new Date(visibleAt) }
}
