import type { QueueServiceClient } from '@azure/storage-queue'
import { queueServiceOf, type StorageConnection } from '../base/storageConnection.ts'

export type ReceivedMessage = {
  readonly id: string
  readonly popReceipt: string
  /** As stored, still encoded. */
  readonly text: string
  readonly dequeueCount: number
  readonly insertedOn: Date
  readonly expiresOn: Date
  readonly nextVisibleOn: Date
}

/** What the host needs of one storage queue. */
export type TriggerQueue = {
  readonly name: string
  /** A queue that does not exist is an empty one. */
  receive(max: number, leaseSeconds: number): Promise<readonly ReceivedMessage[]>
  /** Sets how long the message stays hidden from now on; answers its new pop receipt. */
  hide(id: string, popReceipt: string, seconds: number): Promise<string>
  /** A message that somebody else has by now counts as removed. */
  remove(id: string, popReceipt: string): Promise<void>
  /** Makes the queue when it does not exist. */
  send(text: string): Promise<void>
}

/** Tries within a second: the listener itself comes again. */
const PIPELINE = { retryOptions: { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 500 } }

const GONE = ['MessageNotFound', 'PopReceiptMismatch', 'QueueNotFound']

/** Queues of the storage accounts that settings name. */
export function createTriggerQueues(): (connection: StorageConnection, name: string) => TriggerQueue {
  const services = new Map<StorageConnection, QueueServiceClient>()
  return (connection, name) => {
    const service = services.get(connection) ?? queueServiceOf(connection, PIPELINE)
    services.set(connection, service)
    return queueOf(service, name)
  }
}

function queueOf(service: QueueServiceClient, name: string): TriggerQueue {
  const client = service.getQueueClient(name)
  return {
    name,
    receive: async (max, leaseSeconds) => {
      const received = await unless(['QueueNotFound'], client.receiveMessages({ numberOfMessages: max, visibilityTimeout: leaseSeconds }))
      return (received?.receivedMessageItems ?? []).map((message) => ({
        id: message.messageId,
        popReceipt: message.popReceipt,
        text: message.messageText,
        dequeueCount: message.dequeueCount,
        insertedOn: message.insertedOn,
        expiresOn: message.expiresOn,
        nextVisibleOn: message.nextVisibleOn,
      }))
    },
    hide: async (id, popReceipt, seconds) => (await client.updateMessage(id, popReceipt, undefined, seconds)).popReceipt ?? popReceipt,
    remove: async (id, popReceipt) => {
      await unless(GONE, client.deleteMessage(id, popReceipt))
    },
    send: async (text) => {
      const sent = await unless(['QueueNotFound'], client.sendMessage(text))
      if (sent !== undefined) return
      await unless(['QueueAlreadyExists'], client.create())
      await client.sendMessage(text)
    },
  }
}

/** Undefined when storage answers with one of the codes. */
async function unless<Value>(codes: readonly string[], call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    if (typeof code === 'string' && codes.includes(code)) return undefined
    throw error
  }
}
