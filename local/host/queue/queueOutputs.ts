import type { HostFunction } from '../app/hostFunction.ts'
import type { InvocationResponse, TypedData } from '../app/rpc.ts'
import type { QueuesConfig } from '../base/hostConfig.ts'
import type { StorageConnection } from '../base/storageConnection.ts'
import { encodeMessage } from './messageEncoding.ts'
import type { TriggerQueue } from './triggerQueue.ts'

export type QueueOutputsOptions = {
  readonly queueOf: (connection: StorageConnection, name: string) => TriggerQueue
  readonly encoding: QueuesConfig['messageEncoding']
  /** Notifies the listeners of this host that the queue has a message. */
  readonly written: (queueName: string) => void
}

/** Writes the values of the queue outputs after the handler has returned. */
export async function applyQueueOutputs(target: HostFunction, response: InvocationResponse, options: QueueOutputsOptions): Promise<void> {
  const values = [...(response.outputData ?? []), { name: '$return', data: response.returnValue ?? {} }]
  for (const { name, data } of values) {
    const output = target.queueOutputs.get(name)
    if (output === undefined) continue
    const queue = options.queueOf(output.connection, output.queueName)
    const texts = messagesOf(data)
    for (const text of texts) await queue.send(encodeMessage(text, options.encoding))
    if (texts.length > 0) options.written(output.queueName)
  }
}

/** Returns the messages of a value. An array is one message for each element. Strings stay as they are, objects become JSON. */
function messagesOf(data: TypedData): readonly string[] {
  if (data.string !== undefined) return [data.string]
  if (data.bytes !== undefined) return [Buffer.from(data.bytes).toString('utf8')]
  if (data.json !== undefined) {
    const value: unknown = JSON.parse(data.json)
    return Array.isArray(value) ? value.map((element) => (typeof element === 'string' ? element : JSON.stringify(element))) : [data.json]
  }
  const number = data.int ?? data.double
  return number === undefined ? [] : [String(number)]
}
