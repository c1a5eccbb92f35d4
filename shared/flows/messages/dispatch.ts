import { settle } from '../../base/bounded.ts'
import { createTurnstile } from '../../base/turnstile.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault } from '../../model/problem.ts'
import { durationMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { StoredMessage, StoredQueue, WorkQueue } from '../../ports/workQueue.ts'

type Message = Doorbell | ClaimMessage

/** What the messages of one cluster ask for, as the queue's functions do it. */
export type Workers = {
  /** Whether a look that is being gathered took the doorbell in: the message of that look stands for it. */
  readonly joinOpen: (doorbell: Doorbell) => boolean
  readonly reconcile: (doorbell: Doorbell, signal: AbortSignalLike) => Promise<void>
  readonly step: (message: ClaimMessage, signal: AbortSignalLike) => Promise<void>
}

export type DispatchOptions = {
  readonly queue: StoredQueue
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly workers: Workers
  /** The time that one piece of work may take. */
  readonly budget: () => AbortSignalLike
  /** Aborts when the process ends: what has not begun by then is left to the queue. */
  readonly over: AbortSignalLike
  /** After each piece of work. */
  readonly afterwards?: () => void
}

/** The stored message comes this long after its time, unless it is taken back: later than any work that is still going on. */
export const BACKUP_MS = durationMs(75_000)
/** What is asked for later than this only the queue remembers. */
const LONGEST_WAIT_MS = 60_000
/** Messages of a cluster that a process has in hand. What is too many goes to the queue, whose functions have as many instances as it takes. */
const MOST_IN_HAND = 1_000
/** Of those, the ones worked on beside each other: as many as a host takes from a queue. */
const AT_ONCE = 64
/** Work that failed is tried again so much later, and so often; then it is the queue's, which tries on and in the end tells a person. */
const AGAIN_MS = 10_000
const TRIES = 3

/**
 * Does at once, in this process, what a message asks for, instead of waiting until a host has found the message in its queue. The message is
 * stored first, for later than that, and taken back when the work is done. So a process that dies loses nothing, and nothing waits for a queue
 * that nobody has looked at for a while. A doorbell that a look under way takes in is not stored: nothing of it is left to be done once that look
 * is. Messages stay hints: work that is done twice does no more than once.
 */
export function createDispatch({ queue, clock, telemetry, workers, budget, over, afterwards }: DispatchOptions): WorkQueue {
  const pass = createTurnstile(AT_ONCE)
  let inHand = 0

  async function dispatch(message: Message, delayMs: number, store: (delayMs: number) => Promise<StoredMessage>): Promise<void> {
    if (delayMs > LONGEST_WAIT_MS || inHand >= MOST_IN_HAND || over.aborted) return void (await store(delayMs))
    inHand++
    const stored = await settle(() => store(delayMs + BACKUP_MS))
    if (!stored.ok) {
      inHand--
      throw stored.error
    }
    void serve(message, delayMs, stored.value).finally(() => inHand--)
  }

  /** Never rejects: nobody waits for it. */
  async function serve(message: Message, delayMs: number, stored: StoredMessage): Promise<void> {
    let pauseMs = delayMs
    for (let tries = 0; tries < TRIES; tries++) {
      if (!(await waited(pauseMs))) return
      const outcome = await settle(() => pass(() => work(message)))
      afterwards?.()
      if (outcome.ok) {
        await settle(() => stored.takeBack(budget()))
        return
      }
      tell(message, outcome.error)
      pauseMs = AGAIN_MS
    }
  }

  async function waited(ms: number): Promise<boolean> {
    if (ms > 0) await settle(() => clock.sleep(ms, over))
    return !over.aborted
  }

  function work(message: Message): Promise<void> {
    return message.kind === 'doorbell' ? workers.reconcile(message, budget()) : workers.step(message, budget())
  }

  function tell(message: Message, cause: unknown): void {
    const { cluster } = message
    const what = message.kind === 'doorbell' ? `a look because of ${message.because}` : `a step of nodeclaim ${message.claim}`
    const text = `${what} failed and is tried again: ${String(cause)}`
    if (cause instanceof Fault) telemetry.warn(text, { cluster, code: cause.problem.code })
    else telemetry.error(text, { cluster })
  }

  return {
    ring: async (doorbell, delayMs, signal) => {
      if (delayMs <= 0 && workers.joinOpen(doorbell)) return
      await dispatch(doorbell, delayMs, (storedMs) => queue.ring(doorbell, storedMs, signal))
    },
    send: (message, delayMs, signal) => dispatch(message, delayMs, (storedMs) => queue.send(message, storedMs, signal)),
  }
}
