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

/** The part of a storage queue that the host needs. */
export type TriggerQueue = {
  readonly name: string
  /** A queue that does not exist counts as empty. */
  receive(max: number, leaseSeconds: number): Promise<readonly ReceivedMessage[]>
  /** Reports whether a message could be received now. */
  hasVisible(): Promise<boolean>
  /** Sets how long the message stays hidden from now on. Returns its new pop receipt. */
  hide(id: string, popReceipt: string, seconds: number): Promise<string>
  /** A message that another reader has received meanwhile counts as removed. */
  remove(id: string, popReceipt: string): Promise<void>
  /** Creates the queue if it does not exist. */
  send(text: string): Promise<void>
}

/** Retries within a second only, because the listener itself polls again. */
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
    hasVisible: async () => ((await unless(['QueueNotFound'], client.peekMessages()))?.peekedMessageItems.length ?? 0) > 0,
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

/** Returns undefined if storage answers with one of the codes. */
async function unless<Value>(codes: readonly string[], call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    if (typeof code === 'string' && codes.includes(code)) return undefined
    throw error
  }
}
