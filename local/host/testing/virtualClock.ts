import { createVirtualClock as createClock } from '../../../shared/adapters/memory/virtualClock.ts'
import { epochMs } from '../../../shared/model/units.ts'
import type { HostClock } from '../base/hostClock.ts'

export type VirtualClock = HostClock & {
  /** Moves time on, waking sleepers in order and letting what they do run before the next wakes. */
  advance(ms: number): Promise<void>
}

/** The virtual clock of all tests as the host sees one: a sleep that is cut short ends without an error, and chance is always in the middle. */
export function createVirtualClock(startMs = 0): VirtualClock {
  const { now, sleep, advance } = createClock(epochMs(startMs))
  return { now, advance, random: () => 0.5, sleep: (ms, signal) => sleep(ms, signal).catch(() => undefined) }
}
