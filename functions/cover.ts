import { settle } from '../shared/base/concurrency.ts'
import type { ClusterQueue } from '../shared/flows/queue/clusterQueue.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../shared/model/units.ts'
import type { Clock } from '../shared/ports/clock.ts'

/** An invocation stays open while work is due within this time. A longer pause is cheaper without an invocation. */
const SOON_MS = 1_500
/** The longest time that an invocation stays open. A platform that ends an instance waits 30 seconds for its invocations. */
export const LONGEST_COVER: DurationMs = durationMs(25_000)
/** An invocation that has less than this left is relieved by the next one. So work that lasts longer stays covered. */
const RELIEVED_MS = 10_000
/** A caller that cannot keep an invocation open posts twice within this time. Until then, work begins without an invocation. */
const ALLOWED: DurationMs = durationMs(60_000)

/** One open invocation. */
export type Invocation = {
  /**
   * Resolves when no work of the process is due soon for the cluster, when the invocation has been open for long enough, or when another invocation
   * waits for the work (`left`). From then on, the invocation does not count as open.
   */
  end(): Promise<'waited' | 'left'>
  /** Ends at once. For an invocation whose function ends before the work is done, since it failed. */
  close(): void
}

/**
 * The invocations that are open for one cluster in this process. The platform may stop a process that has none. So work begins only while one is open,
 * and one of them stays open until the work is done.
 */
export interface Cover {
  /** The work that is covered. */
  readonly queue: ClusterQueue
  isOpen(): boolean
  /** Keeps an invocation open until the work is done that is no key of the queue, such as the writing of Events. */
  hold(work: Promise<unknown>): void
  /** Resolves at once while an invocation is open or work is allowed without one, and otherwise at the next. */
  mayBegin(): Promise<void>
  /** `tells`: the caller learns when the next work is due, so this invocation waits even if one of another caller does. */
  open(tells?: boolean): Invocation
  /** Does the work of an invocation, and then waits for the work that it caused, for `longest` in all. Fails if its own work fails. */
  during<Value>(work: () => Promise<Value>, longest?: DurationMs): Promise<Value>
  /** Allows work without an invocation for a time: the caller is of a version that cannot keep one open. */
  allow(): void
}

export function createCover(clock: Clock, queue: ClusterQueue): Cover {
  const door = createDoor(clock)
  const wait = createWait(clock, queue)

  function open(tells = false, longest = LONGEST_COVER): Invocation {
    const until = later(clock.now(), longest)
    const close = door.open()
    return { end: () => wait.untilDone(until, tells).finally(close), close }
  }

  return {
    queue,
    isOpen: door.isOpen,
    hold: wait.hold,
    mayBegin: door.pass,
    open,
    async during(work, longest) {
      const invocation = open(false, longest)
      try {
        return await work()
      } finally {
        await invocation.end()
      }
    },
    allow: door.allow,
  }
}

/** The door that work passes before it begins. It is open while an invocation is, and for a time after `allow`. */
function createDoor(clock: Clock) {
  const outside: (() => void)[] = []
  let invocations = 0
  let allowedUntil: EpochMs | undefined

  const isOpen = (): boolean => invocations > 0 || (allowedUntil !== undefined && clock.now() < allowedUntil)

  function letIn(): void {
    for (const enter of outside.splice(0)) enter()
  }

  return {
    isOpen,
    /** Returns a function that closes the door, unless other invocations are open. */
    open(): () => void {
      let isMine = true
      invocations++
      letIn()
      return () => {
        if (isMine) invocations--
        isMine = false
      }
    },
    allow(): void {
      allowedUntil = later(clock.now(), ALLOWED)
      letIn()
    },
    pass(): Promise<void> {
      return isOpen() ? Promise.resolve() : new Promise((resolve) => void outside.push(resolve))
    },
  }
}

/** The wait of invocations for the work. One of them waits, and the others end at once. */
function createWait(clock: Clock, queue: ClusterQueue) {
  let waiting: { readonly until: EpochMs; readonly tells: boolean; readonly relieve: () => void } | undefined

  let held: Promise<unknown> = Promise.resolve()
  let holds = 0

  function isDueSoon(): boolean {
    const dueAt = queue.nextDueAt()
    return holds > 0 || (dueAt !== undefined && dueAt - clock.now() <= SOON_MS)
  }

  /** Reports whether the invocation that waits is as good as another one, which can end. Only an invocation that tells relieves one that does. */
  function isEnough(until: EpochMs, tells: boolean): boolean {
    if (waiting === undefined || (tells && !waiting.tells)) return false
    return waiting.until >= until || waiting.until - clock.now() >= RELIEVED_MS || (waiting.tells && !tells)
  }

  return {
    hold(work: Promise<unknown>): void {
      holds++
      const ended = settle(() => work).then(() => void holds--)
      held = Promise.all([held, ended])
    },
    async untilDone(until: EpochMs, tells: boolean): Promise<'waited' | 'left'> {
      if (isEnough(until, tells)) return 'left'
      const isOver = new AbortController()
      const mine = { until, tells, relieve: () => isOver.abort() }
      waiting?.relieve()
      waiting = mine
      const timeOut = clock.sleep(until - clock.now(), isOver.signal).then(mine.relieve, () => undefined)
      while (!isOver.signal.aborted && isDueSoon()) await Promise.race([queue.changed(), timeOut, holds > 0 ? held : timeOut])
      mine.relieve()
      if (waiting !== mine) return 'left'
      waiting = undefined
      return 'waited'
    },
  }
}
