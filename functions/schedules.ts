import { Cron } from 'croner'
import { type EpochMs, epochMs } from '../shared/model/units.ts'

/** When a kind of the timer's work is done. */
export type Schedule = {
  /** NCRONTAB of six fields, in UTC. */
  readonly expression: string
  /** Returns the first occurrence after the instant. */
  next(after: EpochMs): EpochMs
}

/** The timer runs on the `resync` schedule. Each run does all work that is due by then. */
export type Schedules = { readonly [Work in 'resync' | 'disruption' | CoarseWork]: Schedule }
/** Work that is done less often than the timer runs, so that its last run must be remembered. */
export type CoarseWork = 'catalog' | 'gc'
export const COARSE_WORK: readonly CoarseWork[] = ['catalog', 'gc']

/** Clusters work at different moments. This is the largest shift of a cluster against its schedule, which is also below one period. */
const MOST_SHIFT_MS = 600_000
/** The most decisions for disruption of one cluster between two runs of the timer, for runs that are far apart. */
const MOST_DECISIONS = 60

/** Parses a schedule. Undefined if it does not have six fields, is not valid, or never occurs. */
export function parseSchedule(expression: string): Schedule | undefined {
  if (expression.trim().split(/\s+/).length !== 6) return undefined
  try {
    const cron = new Cron(expression, { utcOffset: 0, domAndDow: true, paused: true })
    if (cron.nextRun(new Date(0)) === null) return undefined
    return { expression, next: (after) => epochMs(cron.nextRun(new Date(after))?.getTime() ?? Number.MAX_SAFE_INTEGER) }
  } catch {
    return undefined
  }
}

/**
 * Reports whether work is due since it was last done. Missed times count once. Work that was never done is due. So is work that was done in the
 * future, since a clock was wrong then. `share`, from 0 to 1, is the cluster's position in the period.
 */
export function isDue(schedule: Schedule, since: EpochMs | undefined, now: EpochMs, share: number): boolean {
  return since === undefined || since > now || dueAt(schedule, since, share) <= now
}

/** Returns when work that was done at `since` is due again. */
export function dueAt(schedule: Schedule, since: EpochMs, share: number): EpochMs {
  const next = schedule.next(since)
  const shift = Math.floor(Math.min(schedule.next(next) - next, MOST_SHIFT_MS) * share)
  return epochMs(schedule.next(epochMs(since - shift)) + shift)
}

/** Returns how much longer work may wait in a cluster at rest: four more periods, and at most an hour. */
export function patienceAtRest(schedule: Schedule, since: EpochMs): number {
  const next = schedule.next(since)
  return Math.min(4 * (schedule.next(next) - next), 3_600_000)
}

/** Returns the times of decisions for disruption before the next run of the timer. The run itself decides, too. */
export function decisionsBetweenRuns({ resync, disruption }: Schedules, now: EpochMs): readonly EpochMs[] {
  const until = resync.next(now)
  const times: EpochMs[] = []
  for (let at = disruption.next(now); at < until && times.length < MOST_DECISIONS; at = disruption.next(at)) times.push(at)
  return times
}
