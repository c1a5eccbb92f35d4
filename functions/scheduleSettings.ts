import { InternalError } from '../shared/base/result.ts'
import { parseSchedule, type Schedule, type Schedules } from './schedules.ts'

/** The default schedules of the timer. */
export const DEFAULT_SCHEDULES = {
  RESYNC_SCHEDULE: '0 * * * * *',
  DISRUPTION_SCHEDULE: '*/10 * * * * *',
  CATALOG_SCHEDULE: '0 */10 * * * *',
  GC_SCHEDULE: '30 */2 * * * *',
}

export type ScheduleSettings = { readonly [Name in keyof typeof DEFAULT_SCHEDULES]: string }

export function schedulesOf(settings: ScheduleSettings): Schedules {
  return {
    resync: schedule(settings.RESYNC_SCHEDULE),
    disruption: schedule(settings.DISRUPTION_SCHEDULE),
    catalog: schedule(settings.CATALOG_SCHEDULE),
    gc: schedule(settings.GC_SCHEDULE),
  }
}

function schedule(expression: string): Schedule {
  const parsed = parseSchedule(expression)
  if (parsed === undefined) throw new InternalError(`schedule ${expression} was accepted and is none`)
  return parsed
}
