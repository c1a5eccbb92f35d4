import { Cron } from 'croner'
import { type EpochMs, epochMs } from '../shared/model/units.ts'

/** When a piece of the timer's work is to be done. */
export type Schedule = {
  /** NCRONTAB of six fields, in UTC. */
  readonly expression: string
  /** The first occurrence after the instant. */
  next(after: EpochMs): EpochMs
}

/** The timer runs on `resync`; what else has come due by then is done with it. */
export type Schedules = { readonly [Work in 'resync' | 'disruption' | CoarseWork]: Schedule }
/** What is done less often than the timer runs, so that somebody has to remember when it was done last. */
export type CoarseWork = 'catalog' | 'gc'
export const COARSE_WORK: readonly CoarseWork[] = ['catalog', 'gc']

/** Clusters do not work at the same moment. None is later than this behind its schedule, nor a whole period. */
const MOST_SHIFT_MS = 600_000
/** Rings for one cluster from one run of the timer to the next, where runs are far apart. */
const MOST_RINGS = 60

/** Undefined: not six fields, not in the notation, or a time that never comes. */
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
 * Whether work has come due since it was last done: once, however many times it was missed. What never was done is due, and so is what seems
 * to be done in the future, which is a clock that went wrong. `share`, from 0 to 1, is where in the period the cluster has its turn.
 */
export function isDue(schedule: Schedule, since: EpochMs | undefined, now: EpochMs, share: number): boolean {
  return since === undefined || since > now || dueAt(schedule, since, share) <= now
}

/** When work that was done then is to be done again. */
export function dueAt(schedule: Schedule, since: EpochMs, share: number): EpochMs {
  const next = schedule.next(since)
  const shift = Math.floor(Math.min(schedule.next(next) - next, MOST_SHIFT_MS) * share)
  return epochMs(schedule.next(epochMs(since - shift)) + shift)
}

/** How much longer than its schedule says work may wait where nothing comes and goes: four periods more, and an hour at most. */
export function patienceAtRest(schedule: Schedule, since: EpochMs): number {
  const next = schedule.next(since)
  return Math.min(4 * (schedule.next(next) - next), 3_600_000)
}

/** How long after now a look for disruption comes due, before the timer runs again. The run itself looks too. */
export function looksBetweenRuns({ resync, disruption }: Schedules, now: EpochMs): readonly number[] {
  const until = resync.next(now)
  const delays: number[] = []
  for (let at = disruption.next(now); at < until && delays.length < MOST_RINGS; at = disruption.next(at)) delays.push(at - now)
  return delays
}
