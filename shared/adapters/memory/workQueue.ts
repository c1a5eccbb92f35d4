import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { inOrder } from '../../base/order.ts'
import { type ClaimMessage, type Doorbell, LONGEST_DELAY } from '../../model/message.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import type { Connection } from './connection.ts'

export type QueuedMessage = {
  readonly number: number
  readonly body: Doorbell | ClaimMessage
  visibleAt: number
  /** When the message could be taken for the first time. */
  readonly dueAt: number
  dequeues: number
}

/** How a message reaches the queue over a bad network. */
export type Delivery = 'once' | 'never' | 'twice' | { readonly laterMs: number }

/**
 * Both queues, with the semantics of a storage queue: at-least-once delivery, messages hidden while a handler works on them, poison after five tries.
 */
export type QueueTruth = {
  readonly messages: Set<QueuedMessage>
  readonly poison: (Doorbell | ClaimMessage)[]
  deliver: (message: Doorbell | ClaimMessage) => Delivery
  sent: number
}

/** The queues as the Functions host uses them. */
export type QueueControls = {
  /** Takes the earliest visible message, of one kind or of any kind, and hides it for 60 seconds. Undefined if there is none. */
  take(kind?: QueuedMessage['body']['kind']): QueuedMessage | undefined
  done(message: QueuedMessage): void
  /** Makes a message visible again after ten seconds, as in host.json, or poison after the fifth try. */
  failed(message: QueuedMessage): void
  /** Returns when the next message can be taken. Undefined if there is none. */
  nextAt(): EpochMs | undefined
  /** Returns all messages, visible or not. */
  waiting(): readonly (Doorbell | ClaimMessage)[]
  readonly poison: readonly (Doorbell | ClaimMessage)[]
  /** Sets how messages are delivered from now on. */
  deliverBy(choose: QueueTruth['deliver']): void
}

const AGAIN_MS = 10_000
const HIDDEN_MS = 60_000
const MAX_DEQUEUES = 5

export function createQueueTruth(): QueueTruth {
  return { messages: new Set(), poison: [], deliver: () => 'once', sent: 0 }
}

export function createMemoryWorkQueue(truth: QueueTruth, clock: Clock, connection: Connection): WorkQueue {
  const enqueue = (body: Doorbell | ClaimMessage, delayMs: number): void => {
    const delivery = truth.deliver(body)
    const copies = delivery === 'never' ? 0 : delivery === 'twice' ? 2 : 1
    const laterMs = typeof delivery === 'object' ? delivery.laterMs : 0
    for (let copy = 0; copy < copies; copy++) {
      const dueAt = clock.now() + Math.min(Math.max(0, delayMs), LONGEST_DELAY) + laterMs
      truth.messages.add({ number: truth.sent++, body, visibleAt: dueAt, dueAt, dequeues: 0 })
    }
  }
  return {
    ring: (doorbell, delayMs, signal) =>
      connection.write('queue.ring', `doorbell/${doorbell.because}`, signal, () => enqueue(doorbell, delayMs)),
    send: (message, delayMs, signal) =>
      connection.write('queue.send', `nodeclaim/${message.claim}`, signal, () => enqueue(message, delayMs)),
  }
}

const QUEUES = [
  { queue: 'reconcile', kind: 'doorbell' },
  { queue: 'nodeclaim', kind: 'nodeClaim' },
] as const

export function createMemoryBacklog(truth: QueueTruth, clock: Clock, connection: Connection): Backlog {
  return {
    look: (signal) =>
      connection.read('backlog.look', 'queues', signal, () =>
        QUEUES.map(({ queue, kind }) => {
          const own = [...truth.messages].filter(({ body }) => body.kind === kind)
          const visible = own.filter(({ visibleAt }) => visibleAt <= clock.now())
          const waitsSince = visible.length === 0 ? undefined : epochMs(leastOf(visible.map(({ dueAt }) => dueAt)))
          return defined({ queue, messages: own.length, waitsSince })
        }),
      ),
  }
}

export function createQueueControls(truth: QueueTruth, clock: Clock): QueueControls {
  const inTurn = (): QueuedMessage[] => [...truth.messages].sort(byTurn)
  return {
    take: (kind) => {
      const found = first(truth.messages, ({ body, visibleAt }) => visibleAt <= clock.now() && (kind === undefined || body.kind === kind))
      if (found === undefined) return undefined
      found.visibleAt = clock.now() + HIDDEN_MS
      found.dequeues += 1
      return found
    },
    done: (message) => void truth.messages.delete(message),
    failed: (message) => {
      message.visibleAt = clock.now() + AGAIN_MS
      if (message.dequeues >= MAX_DEQUEUES && truth.messages.delete(message)) truth.poison.push(message.body)
    },
    nextAt: () => {
      const next = first(truth.messages, () => true)
      return next === undefined ? undefined : epochMs(Math.max(next.visibleAt, clock.now()))
    },
    waiting: () => inTurn().map((message) => message.body),
    poison: truth.poison,
    deliverBy: (choose) => {
      truth.deliver = choose
    },
  }
}

/** Returns the message that is first in turn among those for which the condition holds. */
function first(messages: Iterable<QueuedMessage>, holds: (message: QueuedMessage) => boolean): QueuedMessage | undefined {
  let found: QueuedMessage | undefined
  for (const each of messages) if (holds(each) && (found === undefined || byTurn(each, found) < 0)) found = each
  return found
}

const byTurn = inOrder<QueuedMessage>(
  (first, second) => first.visibleAt - second.visibleAt,
  (first, second) => first.number - second.number,
)
