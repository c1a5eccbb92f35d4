import { inOrder } from '../../base/lists.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

/** A clock that moves only when told to. */
export type VirtualClock = Clock & {
  /** Moves forward by `ms`. Sleepers wake in the order of their times, and everything that one sets off runs before the next one wakes. */
  advance(ms: number): Promise<void>
  /** Moves to the time of the next sleeper and wakes it. Returns false if there is no sleeper. */
  advanceToNext(): Promise<boolean>
  /** Returns the number of sleepers. */
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
    // The reason of the signal is passed on unchanged.
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

/** Resolves in the next turn of the event loop, once every promise that could continue has done so. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
