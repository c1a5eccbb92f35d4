import { settle } from '../../base/bounded.ts'
import { createTurnstile } from '../../base/turnstile.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { createMessagesInHand, type Held } from './messagesInHand.ts'

type Message = Doorbell | ClaimMessage

/** What the messages of one cluster ask for, as the queue's functions do it. */
export type Workers = {
  /** Whether a look that is being gathered took the doorbell in: the message of that look stands for it. */
  readonly joinOpen: (doorbell: Doorbell) => boolean
  readonly reconcile: (doorbell: Doorbell, signal: AbortSignalLike) => Promise<void>
  /** Answers whether the claim has come in or is gone: looks that were asked for before, to follow it on its way in, are of no use any more. */
  readonly step: (message: ClaimMessage, signal: AbortSignalLike) => Promise<boolean>
}

export type DispatchOptions = {
  readonly queue: WorkQueue
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly workers: Workers
  /** The time that one piece of work may take. */
  readonly budget: () => AbortSignalLike
  /** Aborts when the process ends: what has not begun by then is given to the queue. */
  readonly over: AbortSignalLike
  /** After each piece of work. */
  readonly afterwards?: () => void
  /** Is told of each message that goes to the queue: once that ends, which it does without a failure, the process may end. */
  readonly handedOver?: (leaving: Promise<unknown>) => void
}

/** What is asked for later than this only the queue remembers. */
const LONGEST_WAIT_MS = 60_000
/** Messages of a cluster that a process has in hand. What is too many goes to the queue, whose functions have as many instances as it takes. */
const MOST_IN_HAND = 1_000
/** Places of these that a caller who asks for room leaves to others, who send at the same time. */
const KEPT_FREE = 100
/** Messages worked on beside each other. Their calls to the API server and to Azure wait for turns of their own. */
const AT_ONCE = 256
/** Messages given to the queue beside each other when the process ends. */
const STORED_AT_ONCE = 16
/** Work that failed is tried again so much later, and so often; then it is the queue's, which tries on and in the end tells a person. */
const AGAIN_MS = 10_000
const TRIES = 3

/**
 * Does at once, in this process, what a message asks for, instead of waiting until a host has found the message in its queue. The queue gets only
 * what this process cannot do: work that keeps failing, that is too much, that is for much later, or that a process which ends has not begun.
 * Messages are hints: what a process that dies had in hand, the timer finds again from the truth.
 */
export function createDispatch(options: DispatchOptions): WorkQueue {
  const { queue, clock, telemetry, workers, budget, over, afterwards, handedOver } = options
  const pass = createTurnstile(AT_ONCE)
  const passToQueue = createTurnstile(STORED_AT_ONCE)
  const inHand = createMessagesInHand()

  async function dispatch(message: Message, delayMs: number, signal: AbortSignalLike): Promise<void> {
    if (delayMs > LONGEST_WAIT_MS || inHand.count() >= MOST_IN_HAND || over.aborted) return store(queue, message, delayMs, signal)
    const held = inHand.take(message, clock.now())
    void serve(held, delayMs).finally(() => inHand.letGo(held))
  }

  /** Never rejects: nobody waits for it. */
  async function serve(held: Held, delayMs: number): Promise<void> {
    const { message } = held
    let dueAt = clock.now() + delayMs
    for (let tries = 0; tries < TRIES; tries++) {
      await waitUntil(dueAt)
      const outcome = await settle(() => pass(() => workUnlessOver(held)))
      if (outcome.ok && outcome.value === 'over') return leave(message, dueAt)
      if (outcome.ok && outcome.value === 'dropped') return
      afterwards?.()
      if (outcome.ok || held.isDropped) return
      tellFailed(telemetry, message, outcome.error)
      dueAt = clock.now() + AGAIN_MS
    }
    await leave(message, dueAt)
  }

  async function waitUntil(at: number): Promise<void> {
    if (at > clock.now()) await settle(() => clock.sleep(at - clock.now(), over))
  }

  /** To the queue. What it does not take, the timer finds. */
  async function leave(message: Message, dueAt: number): Promise<void> {
    const leaving = settle(() => passToQueue(() => store(queue, message, Math.max(0, dueAt - clock.now()), budget())))
    handedOver?.(leaving)
    const left = await leaving
    if (!left.ok)
      telemetry.warn(`${nameOf(message)} could not be left to the queue: ${String(left.error)}`, aboutFault(message, left.error))
  }

  /** Its turn may come late: it is asked now whether there is anything left to do, and whether this process still does it. */
  async function workUnlessOver({ message, isDropped }: Held): Promise<'dropped' | 'over' | 'done'> {
    if (isDropped) return 'dropped'
    if (over.aborted) return 'over'
    await work(message)
    return 'done'
  }

  async function work(message: Message): Promise<void> {
    if (message.kind === 'doorbell') return workers.reconcile(message, budget())
    const began = clock.now()
    if (await workers.step(message, budget())) inHand.dropComing(message.claim, began)
  }

  return {
    ring: async (doorbell, delayMs, signal) => {
      if (delayMs <= 0 && workers.joinOpen(doorbell)) return
      await dispatch(doorbell, delayMs, signal)
    },
    send: dispatch,
    follows: inHand.follows,
    hasRoom: () => !over.aborted && inHand.count() < MOST_IN_HAND - KEPT_FREE,
  }
}

async function store(queue: WorkQueue, message: Message, delayMs: number, signal: AbortSignalLike): Promise<void> {
  if (message.kind === 'doorbell') await queue.ring(message, delayMs, signal)
  else await queue.send(message, delayMs, signal)
}

function tellFailed(telemetry: Telemetry, message: Message, cause: unknown): void {
  const text = `${nameOf(message)} failed and is tried again: ${String(cause)}`
  if (cause instanceof Fault) telemetry.warn(text, aboutFault(message, cause))
  else telemetry.error(text, { cluster: message.cluster })
}

function nameOf(message: Message): string {
  return message.kind === 'doorbell' ? `a look because of ${message.because}` : `a step of nodeclaim ${message.claim}`
}

function aboutFault({ cluster }: Message, cause: unknown): LogFields {
  return cause instanceof Fault ? { cluster, code: cause.problem.code } : { cluster }
}
