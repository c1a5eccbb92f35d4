import { settle } from '../shared/base/bounded.ts'
import { Fault } from '../shared/model/problem.ts'
import { type EpochMs, epochMs } from '../shared/model/units.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { Schedule } from './schedules.ts'

/** As often as metrics are sent. */
export const SAMPLE_MS = 300_000

/**
 * Tells what waits in the queues, once in five minutes by the clock: a process that begins anew, as each run of the timer may, looks no more often. Of
 * a queue that is empty nothing is told, and one request is what that costs.
 */
export async function tellBacklog({ backlog, clock, schedules, telemetry }: AppDeps): Promise<void> {
  const now = clock.now()
  if (!isFirstRun(schedules.resync, now)) return
  const looked = await settle(() => backlog.look(workBudget()))
  if (!looked.ok) {
    if (!(looked.error instanceof Fault)) throw looked.error
    const { code, message } = looked.error.problem
    return telemetry.warn(`the queues could not be looked at: ${message}`, { code })
  }
  for (const { queue, messages, waitsSince } of looked.value) {
    if (messages > 0) telemetry.measure('queue.messages', messages, { queue })
    if (waitsSince !== undefined) telemetry.measure('queue.waiting_ms', Math.max(0, now - waitsSince), { queue })
  }
}

/** Whether no run of the schedule came before in these five minutes. A run that comes late may leave them without one. */
function isFirstRun(schedule: Schedule, now: EpochMs): boolean {
  const first = schedule.next(epochMs(now - (now % SAMPLE_MS) - 1))
  return now < schedule.next(first)
}
