import { createBoundedMap } from '../../base/caches.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'

/**
 * Launch locks that this process wrote when it created claims, and has not used yet. With such a lock, the first launch of the claim in this
 * process needs no write for its lock.
 */
export interface LaunchLocks {
  /** Returns the time of the lock: `now`, or the time of an earlier try to create the claim, whose answer may have been lost. */
  begin(claim: NodeClaimName, now: EpochMs): EpochMs
  /** Reports whether this process wrote the lock with that time. True only once: a second launch of the claim must respect its lock. */
  take(claim: NodeClaimName, at: number): boolean
}

/** As many claims as a process works on. If a lock is forgotten, the launch of its claim waits until the lock is over. */
const MOST = 1_000

export function createLaunchLocks(): LaunchLocks {
  const locks = createBoundedMap<NodeClaimName, EpochMs>(MOST)
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
