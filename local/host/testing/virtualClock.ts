import { createVirtualClock as createClock } from '../../../shared/adapters/memory/virtualClock.ts'
import { epochMs } from '../../../shared/model/units.ts'
import type { HostClock } from '../base/hostClock.ts'

export type VirtualClock = HostClock & {
  /** Moves time on. Wakes sleepers in order, and lets the work of each run before it wakes the next. */
  advance(ms: number): Promise<void>
}

/** The virtual clock of all tests as a clock of the host. An aborted sleep ends without an error, and `random` returns 0.5. */
export function createVirtualClock(startMs = 0): VirtualClock {
  const { now, sleep, advance } = createClock(epochMs(startMs))
  return { now, advance, random: () => 0.5, sleep: (ms, signal) => sleep(ms, signal).catch(() => undefined) }
}
