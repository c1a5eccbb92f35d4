import { inOrder } from '../../base/order.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

/** A clock that moves only when told to. */
export type VirtualClock = Clock & {
  /** Moves on by `ms`; sleepers wake in the order of their time, each with everything it sets off before the next. */
  advance(ms: number): Promise<void>
  /** Moves to the next sleeper and wakes it. False when nobody sleeps. */
  advanceToNext(): Promise<boolean>
  /** Sleepers now. */
  sleepers(): number
}

type Sleeper = { readonly at: number; readonly order: number; readonly wake: () => void }

export function createVirtualClock(start: EpochMs): VirtualClock {
  let now: number = start
  let order = 0
  const sleepers = new Set<Sleeper>()
  const next = (): Sleeper | undefined => [...sleepers].sort(bySleepTime)[0]

  async function wake(sleeper: Sleeper): Promise<void> {
    now = Math.max(now, sleeper.at)
    sleepers.delete(sleeper)
    sleeper.wake()
    await settled()
  }

  return {
    now: () => epochMs(now),
    sleepers: () => sleepers.size,
    sleep: (ms, signal) => sleepUntil(sleepers, { at: now + Math.max(0, ms), order: order++ }, signal),
    advance: async (ms) => {
      const target = now + ms
      await settled()
      for (let sleeper = next(); sleeper !== undefined && sleeper.at <= target; sleeper = next()) await wake(sleeper)
      now = Math.max(now, target)
    },
    advanceToNext: async () => {
      await settled()
      const sleeper = next()
      if (sleeper !== undefined) await wake(sleeper)
      return sleeper !== undefined
    },
  }
}

const bySleepTime = inOrder<Sleeper>(
  (first, second) => first.at - second.at,
  (first, second) => first.order - second.order,
)

function sleepUntil(sleepers: Set<Sleeper>, due: Pick<Sleeper, 'at' | 'order'>, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    // Whoever gave the signal chose the reason: it goes on as it is.
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) return giveUp()
    const sleeper: Sleeper = {
      ...due,
      wake: () => {
        signal.removeEventListener('abort', abort)
        resolve()
      },
    }
    const abort = (): void => {
      sleepers.delete(sleeper)
      giveUp()
    }
    sleepers.add(sleeper)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** Resolves once every promise that could go on has gone on: the turn of the event loop after this one. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
