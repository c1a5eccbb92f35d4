import type { ReceivedMessage, TriggerQueue } from '../queue/triggerQueue.ts'

type Stored = { id: string; text: string; popReceipt: string; dequeueCount: number; visibleAt: number }

export type MemoryQueue = TriggerQueue & {
  /** All messages of the queue, hidden or not. */
  readonly messages: readonly Stored[]
  /** The times of the polls. */
  readonly polls: readonly number[]
  put(text: string, dequeueCount?: number): void
  failing: boolean
}

/** A storage queue in memory, on the given clock. */
export function createMemoryQueue(name: string, now: () => number): MemoryQueue {
  let stored: Stored[] = []
  const polls: number[] = []
  let receipts = 0
  const find = (id: string, popReceipt: string): Stored => {
    const message = stored.find((candidate) => candidate.id === id && candidate.popReceipt === popReceipt)
    if (message === undefined) throw new Error('PopReceiptMismatch')
    return message
  }
  const queue: MemoryQueue = {
    name,
    polls,
    failing: false,
    get messages() {
      return stored
    },
    put: (text, dequeueCount = 0) => void stored.push({ id: `m${++receipts}`, text, popReceipt: '', dequeueCount, visibleAt: now() }),
    receive: async (max, leaseSeconds) => {
      polls.push(now())
      if (queue.failing) throw new Error('storage is away')
      const taken = stored.filter((message) => message.visibleAt <= now()).slice(0, max)
      for (const message of taken) {
        message.dequeueCount++
        message.popReceipt = `r${++receipts}`
        message.visibleAt = now() + leaseSeconds * 1000
      }
      return taken.map((message): ReceivedMessage => {
        const date = new Date(now())
        return { ...message, insertedOn: date, expiresOn: date, nextVisibleOn: new Date(message.visibleAt) }
      })
    },
    hasVisible: async () => stored.some((message) => message.visibleAt <= now()),
    hide: async (id, popReceipt, seconds) => {
      const message = find(id, popReceipt)
      message.visibleAt = now() + seconds * 1000
      message.popReceipt = `r${++receipts}`
      return message.popReceipt
    },
    remove: async (id, popReceipt) => {
      const message = find(id, popReceipt)
      stored = stored.filter((candidate) => candidate !== message)
    },
    send: async (text) => queue.put(text),
  }
  return queue
}
