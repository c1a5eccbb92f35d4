import { createVirtualClock as createClock, type VirtualClock as WallClock } from '../../shared/adapters/memory/virtualClock.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../clock.ts'

export type VirtualClock = Clock & Pick<WallClock, 'advance'>

/** The virtual clock of all tests as a clock of the shim. It also counts the time that has passed. */
export function createVirtualClock(start = 1_800_000_000_000): VirtualClock {
  const clock = createClock(epochMs(start))
  return { ...clock, monotonic: () => clock.now() - start }
}
