import { settle } from '../../base/bounded.ts'
import { createConcurrencyLimiter } from '../../base/concurrencyLimiter.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault } from '../../model/problem.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { createMessagesInHand, type Held, type MessagesInHand } from './messagesInHand.ts'

type Message = Doorbell | ClaimMessage

/** The work behind the messages of one cluster, the same as in the functions of the queues. */
export type Workers = {
  /** Adds the doorbell to an open batch window. Returns false if none is open. */
  readonly joinOpen: (doorbell: Doorbell) => boolean
  readonly reconcile: (doorbell: Doorbell, signal: AbortSignalLike) => Promise<void>
  /** Steps a claim. Returns true if the claim is initialized or gone, so that earlier messages that follow it until then are of no use any more. */
  readonly step: (message: ClaimMessage, signal: AbortSignalLike) => Promise<boolean>
  /** Called with a message that goes to the queue because this process ends. Returns the message for another process. Undefined: the same. */
  readonly leave?: (message: ClaimMessage, signal: AbortSignalLike) => Promise<ClaimMessage>
}

export type DispatchOptions = {
  readonly queue: WorkQueue
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly workers: Workers
  /** Returns a signal that aborts after the time that one piece of work may take. */
  readonly budget: () => AbortSignalLike
  /** Aborts when the process ends. Work that has not begun by then goes to the queue. */
  readonly over: AbortSignalLike
  /** Called after each piece of work. */
  readonly afterwards?: () => void
  /** Resolves when work may begin: an invocation covers it. Undefined: work begins when it is due. */
  readonly mayBegin?: (over: AbortSignalLike) => Promise<void>
  /** The messages that this process holds for the cluster, for others that look at them. Undefined: a row of its own. */
  readonly inHand?: MessagesInHand
  /** Reports that the last try of this process has failed. Never rejects. */
  readonly gaveUp?: (message: Message, thrown: unknown) => Promise<unknown>
  /** Called with a promise for each message that goes to the queue. It never rejects. The process may end once it has resolved. */
  readonly handedOver?: (leaving: Promise<unknown>) => void
}

/** Messages with a longer delay go to the queue. */
const LONGEST_WAIT_MS = 60_000
/** The most messages of a cluster that a process holds. Further messages go to the queue, whose functions scale out. */
const MOST_IN_HAND = 1_000
/** The room that `hasRoom` leaves for other callers that send at the same time. */
const KEPT_FREE = 100
/** The most messages worked on at a time. Their calls to the API server and to Azure have limits of their own. */
const AT_ONCE = 256
/** The most messages given to the queue at a time when the process ends. */
const STORED_AT_ONCE = 16
/** The longest time in which a message is made ready for another process. The process that ends has little time. */
const READY_MS = 500
/**
 * The pause before failed work is tried again, and the number of tries. After them, the failure is reported and the message goes to the queue.
 */
const AGAIN_MS = durationMs(10_000)
const TRIES = 3

/**
 * A queue that does the work of its messages at once in this process, instead of waiting until a host takes them from a stored queue. A message goes
 * to the stored queue only if its work keeps failing, if the process has too many messages, if it is due much later, or if the process ends before
 * its work begins. Messages are hints: if a process dies, the timer finds its work again from the custom resources.
 */
export function createDispatch(options: DispatchOptions): WorkQueue {
  const { queue, clock, telemetry, workers, budget, over, afterwards, mayBegin, inHand = createMessagesInHand() } = options
  const pass = createConcurrencyLimiter(AT_ONCE)
  const leave = createLeaving(options)

  async function dispatch(message: Message, delayMs: number, signal: AbortSignalLike): Promise<void> {
    if (delayMs > LONGEST_WAIT_MS || inHand.count() >= MOST_IN_HAND || over.aborted) return store(queue, message, delayMs, signal)
    const held = inHand.take(message, clock.now(), later(clock.now(), durationMs(Math.max(0, delayMs))))
    void serve(held).finally(() => inHand.letGo(held))
  }

  /** Never rejects, because no caller awaits it. */
  async function serve(held: Held): Promise<void> {
    const { message } = held
    for (let tries = 0; tries < TRIES; tries++) {
      await sleepUntil(held.dueAt, clock, over)
      const outcome = await settle(() => pass(() => workUnlessOver(held)))
      if (outcome.ok && outcome.value === 'over') return leave(message, held.dueAt)
      if (outcome.ok && outcome.value === 'dropped') return
      afterwards?.()
      if (outcome.ok || held.isDropped) return
      logFailed(telemetry, message, outcome.error)
      if (tries < TRIES - 1) inHand.delay(held, later(clock.now(), AGAIN_MS))
      else await options.gaveUp?.(message, outcome.error)
    }
    // The message is held as due until then, so that an invocation covers the report and the way to the queue.
    await leave(message, later(clock.now(), AGAIN_MS))
  }

  /**
   * Does the work of a message once it may begin. Its turn may come late, so it checks first whether the message was dropped and whether the process
   * ends.
   */
  async function workUnlessOver(held: Held): Promise<'dropped' | 'over' | 'done'> {
    if (!held.isDropped && !over.aborted) await mayBegin?.(over)
    if (held.isDropped) return 'dropped'
    if (over.aborted) return 'over'
    held.hasBegun = true
    held.isRunning = true
    try {
      await work(held.message)
    } finally {
      held.isRunning = false
    }
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
    follows: (claim) => inHand.follows(claim, clock.now()),
    hasRoom: () => !over.aborted && inHand.count() < MOST_IN_HAND - KEPT_FREE,
  }
}

/** Returns a function that gives a message to the queue. If the queue does not take it, the timer finds the work again. */
function createLeaving({ queue, clock, telemetry, workers, budget, over, handedOver }: DispatchOptions) {
  const passToQueue = createConcurrencyLimiter(STORED_AT_ONCE)

  /** If the message cannot be made ready for another process in time, it goes without what this process knows. */
  async function ready(message: Message): Promise<Message> {
    const { leave } = workers
    if (message.kind === 'doorbell' || leave === undefined || !over.aborted) return message
    const { known: _, ...unknown } = message
    const isDone = new AbortController()
    const timeOut = clock.sleep(READY_MS, isDone.signal).then(() => unknown)
    const left = await settle(() => Promise.race([leave(message, budget()), timeOut]))
    isDone.abort()
    await settle(() => timeOut)
    return left.ok ? left.value : unknown
  }

  return async (message: Message, dueAt: number): Promise<void> => {
    const leaving = settle(() => passToQueue(async () => store(queue, await ready(message), Math.max(0, dueAt - clock.now()), budget())))
    handedOver?.(leaving)
    const left = await leaving
    if (!left.ok)
      telemetry.warn(`${nameOf(message)} could not be sent to the queue: ${String(left.error)}`, aboutFault(message, left.error))
  }
}

/** Resolves at the time, or when the signal aborts. */
async function sleepUntil(at: EpochMs, clock: Clock, over: AbortSignalLike): Promise<void> {
  if (at > clock.now()) await settle(() => clock.sleep(at - clock.now(), over))
}

async function store(queue: WorkQueue, message: Message, delayMs: number, signal: AbortSignalLike): Promise<void> {
  if (message.kind === 'doorbell') await queue.ring(message, delayMs, signal)
  else await queue.send(message, delayMs, signal)
}

function logFailed(telemetry: Telemetry, message: Message, cause: unknown): void {
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
