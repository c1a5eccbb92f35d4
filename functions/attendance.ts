import { createBoundedMap } from '../shared/base/caches.ts'
import type { NodeClaimName } from '../shared/model/ids.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { Clock } from '../shared/ports/clock.ts'
import type { Schedule } from './schedules.ts'

/** A claim is added again because of a post only after this time, as the timer does. In between, its own requeues and its changes count. */
const PERIOD_MS = 60_000
const MOST_CLAIMS = 5_000

/** When this process resynced a cluster because the shim came. */
export interface Attendance {
  /** Reports whether a time of the schedule has passed since the last time. */
  isDue(schedule: Schedule): boolean
  began(): void
  /** Reports whether the claim was not added lately. If so, it counts as added now. */
  isClaimDue(claim: NodeClaimName): boolean
  /** Keeps and returns whether a NodeClaim comes or goes. */
  found(isMoving: boolean): boolean
  isMoving(): boolean
}

export function createAttendance({ now }: Pick<Clock, 'now'>): Attendance {
  const addedAt = createBoundedMap<NodeClaimName, EpochMs>(MOST_CLAIMS)
  let beganAt: EpochMs | undefined
  let isMoving = false
  return {
    // If the clock went back, it is due.
    isDue: (schedule) => beganAt === undefined || beganAt > now() || schedule.next(beganAt) <= now(),
    began() {
      beganAt = now()
    },
    isClaimDue(claim) {
      const last = addedAt.get(claim)
      if (last !== undefined && last <= now() && now() - last < PERIOD_MS) return false
      addedAt.set(claim, now())
      return true
    },
    found(moving) {
      isMoving = moving
      return moving
    },
    isMoving: () => isMoving,
  }
}
