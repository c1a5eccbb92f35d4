import { createRecent } from '../../base/recent.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'

/** Locks of launches that this process writes with the claims it makes, and has not used yet. Its own first launch of a claim needs no write for its lock. */
export interface LaunchLocks {
  /** The time of the lock: `now`, or that of an earlier try to make the claim, whose answer may have been lost. */
  begin(claim: NodeClaimName, now: EpochMs): EpochMs
  /** Whether the lock with that time is this process's. True once: a second launch of the claim looks at its lock as any other process does. */
  take(claim: NodeClaimName, at: number): boolean
}

/** As many claims as a process has in hand. Of a lock that is forgotten, the launch waits until it is over. */
const MOST = 1_000

export function createLaunchLocks(): LaunchLocks {
  const locks = createRecent<NodeClaimName, EpochMs>(MOST)
  return {
    begin(claim, now) {
      const at = locks.get(claim) ?? now
      locks.set(claim, at)
      return at
    },
    take(claim, at) {
      const isOurs = locks.get(claim) === at
      if (isOurs) locks.delete(claim)
      return isOurs
    },
  }
}
