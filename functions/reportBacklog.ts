import { settle } from '../shared/base/concurrency.ts'
import { Fault } from '../shared/model/problem.ts'
import { type EpochMs, epochMs } from '../shared/model/units.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { Schedule } from './schedules.ts'

/** The period in which metrics are sent. */
export const SAMPLE_MS = 300_000

/**
 * Reports the length of the queues once in five minutes of clock time. So a process that starts anew, as each run of the timer may, does not sample
 * more often. Nothing is reported for an empty queue, which costs one request.
 */
export async function reportBacklog({ backlog, clock, schedules, telemetry }: AppDeps): Promise<void> {
  const now = clock.now()
  if (!isFirstRun(schedules.resync, now)) return
  const looked = await settle(() => backlog.look(workBudget()))
  if (!looked.ok) {
    if (!(looked.error instanceof Fault)) throw looked.error
    const { code, message } = looked.error.problem
    return telemetry.warn(`the queues could not be read: ${message}`, { code })
  }
  for (const { queue, messages, waitsSince } of looked.value) {
    if (messages > 0) telemetry.measure('queue.messages', messages, { queue })
    if (waitsSince !== undefined) telemetry.measure('queue.waiting_ms', Math.max(0, now - waitsSince), { queue })
  }
}

/** Reports whether this is the first run of the schedule in the current five minutes. If a run is late, the five minutes may have none. */
function isFirstRun(schedule: Schedule, now: EpochMs): boolean {
  const first = schedule.next(epochMs(now - (now % SAMPLE_MS) - 1))
  return now < schedule.next(first)
}
