import type { TypedData } from '../app/rpc.ts'
import type { HostClock } from '../base/hostClock.ts'
import type { QueuesConfig } from '../base/hostConfig.ts'
import { type HostLog, messageOf } from '../base/hostLog.ts'
import { decodeMessage } from './messageEncoding.ts'
import { createPollingBackoff } from './pollingBackoff.ts'
import type { ReceivedMessage, TriggerQueue } from './triggerQueue.ts'

export type QueueListenerOptions = {
  readonly queue: TriggerQueue
  /** Undefined if the queue is a poison queue itself. */
  readonly poison: TriggerQueue | undefined
  readonly config: QueuesConfig
  /** How long a received message stays hidden: 600 on the platform. The lease is renewed at half of this while the handler runs. */
  readonly leaseSeconds: number
  readonly clock: HostClock
  readonly log: HostLog
  /** Called when a message is taken in hand, and when it is removed or given back. */
  readonly hold: (change: 1 | -1) => void
  /** Runs the handler and applies its outputs. Rejects if either fails. */
  readonly run: (data: TypedData, metadata: { readonly [name: string]: TypedData }) => Promise<void>
}

export type QueueListener = {
  readonly queueName: string
  /** Polls now, because a function on this host wrote to the queue. */
  notify(): void
  /** Stops fetching. Resolves once all fetched messages are done. */
  stop(): Promise<void>
}

/** Listens with the semantics of the platform's storage queue trigger. */
export function startQueueListener(options: QueueListenerOptions): QueueListener {
  const state = { stopping: false, wake: new AbortController() }
  const running = new Set<Promise<void>>()
  const loop = listen(options, state, running)
  return {
    queueName: options.queue.name,
    notify: () => state.wake.abort(),
    stop: async () => {
      state.stopping = true
      state.wake.abort()
      await loop
      await Promise.all(running)
    },
  }
}

type ListenerState = { stopping: boolean; wake: AbortController }

async function listen(options: QueueListenerOptions, state: ListenerState, running: Set<Promise<void>>): Promise<void> {
  const { clock, config } = options
  const backoff = createPollingBackoff(config.maxPollingIntervalMs, clock.random)
  let found = false
  while (!state.stopping) {
    // made before the poll, so that a notification during the poll is not missed
    state.wake = new AbortController()
    const messages = await receive(options)
    if (messages.length === 0) {
      if (!state.stopping) await clock.sleep(backoff.next(found), state.wake.signal)
      found = false
      continue
    }
    found = true
    for (const message of inAnyOrder(messages, clock.random)) {
      const work = handle(options, message).finally(() => running.delete(work))
      running.add(work)
    }
    while (running.size > config.newBatchThreshold) await Promise.race(running)
  }
}

/** The platform starts the messages of a batch in no fixed order. */
function inAnyOrder<Value>(values: readonly Value[], random: () => number): readonly Value[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)
}

async function receive(options: QueueListenerOptions): Promise<readonly ReceivedMessage[]> {
  try {
    return await options.queue.receive(options.config.batchSize, options.leaseSeconds)
  } catch (error) {
    options.log('warning', 'Host.Triggers.Queues', `cannot poll queue ${options.queue.name}: ${messageOf(error)}`)
    return []
  }
}

async function handle(options: QueueListenerOptions, message: ReceivedMessage): Promise<void> {
  options.hold(1)
  try {
    await handleMessage(options, message)
  } catch (error) {
    const what = `message ${message.id} of queue ${options.queue.name}`
    options.log('warning', 'Host.Triggers.Queues', `cannot complete ${what}: ${messageOf(error)}; it comes back when its lease ends`)
  } finally {
    options.hold(-1)
  }
}

async function handleMessage(options: QueueListenerOptions, message: ReceivedMessage): Promise<void> {
  const { config, queue } = options
  if (message.dequeueCount > config.maxDequeueCount) return toPoison(options, message, message.popReceipt)
  const text = decodeMessage(message.text, config.messageEncoding)
  if (text === undefined) {
    options.log(
      'error',
      'Host.Triggers.Queues',
      `message ${message.id} of queue ${queue.name} is not base64: see messageEncoding in host.json`,
    )
    return toPoison(options, message, message.popReceipt)
  }
  const lease = keepHidden(options, message)
  let succeeded = true
  try {
    await options.run({ string: text }, metadataOf(message, text))
  } catch {
    // the invoker has logged the error, so only the outcome counts here
    succeeded = false
  }
  const popReceipt = await lease.end()
  if (succeeded) return queue.remove(message.id, popReceipt)
  if (message.dequeueCount >= config.maxDequeueCount) return toPoison(options, message, popReceipt)
  // without a poison queue a failing message would be retried without pause, so it stays hidden until its lease ends
  if (options.poison !== undefined) await queue.hide(message.id, popReceipt, Math.ceil(config.visibilityTimeoutMs / 1000))
}

async function toPoison(options: QueueListenerOptions, message: ReceivedMessage, popReceipt: string): Promise<void> {
  if (options.poison === undefined) return
  const { poison, queue } = options
  options.log(
    'warning',
    'Host.Triggers.Queues',
    `message ${message.id} failed ${options.config.maxDequeueCount} times: moved from ${queue.name} to ${poison.name}`,
  )
  await poison.send(message.text)
  await queue.remove(message.id, popReceipt)
}

/** Renews the lease at half of its time. Each renewal changes the pop receipt, so `end` returns the last one. */
function keepHidden(options: QueueListenerOptions, message: ReceivedMessage): { end(): Promise<string> } {
  const { clock, leaseSeconds, queue } = options
  const done = new AbortController()
  let { popReceipt } = message
  const renewing = (async () => {
    while (!done.signal.aborted) {
      await clock.sleep(leaseSeconds * 500, done.signal)
      if (done.signal.aborted) return
      try {
        popReceipt = await queue.hide(message.id, popReceipt, leaseSeconds)
      } catch (error) {
        options.log('warning', 'Host.Triggers.Queues', `cannot renew message ${message.id} of queue ${queue.name}: ${messageOf(error)}`)
      }
    }
  })()
  return {
    end: async () => {
      done.abort()
      await renewing
      return popReceipt
    },
  }
}

function metadataOf(message: ReceivedMessage, text: string): { readonly [name: string]: TypedData } {
  const date = (value: Date): TypedData => ({ json: JSON.stringify(value.toISOString()) })
  return {
    QueueTrigger: { string: text },
    DequeueCount: { json: String(message.dequeueCount) },
    Id: { string: message.id },
    PopReceipt: { string: message.popReceipt },
    InsertionTime: date(message.insertedOn),
    ExpirationTime: date(message.expiresOn),
    NextVisibleTime: date(message.nextVisibleOn),
  }
}
