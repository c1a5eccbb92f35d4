/** The schedule of a budget: a parsed cron expression, so that a decision need not parse text. */
import { type DurationMs, type EpochMs, epochMs } from './units.ts'

/** The five fields, as the numbers that match. The fields are local times of the time zone. */
export type Cron = {
  /** 0 to 59, ascending. */
  readonly minutes: readonly number[]
  /** 0 to 23, ascending. */
  readonly hours: readonly number[]
  /** 1 to 31. */
  readonly days: readonly number[]
  /** 1 to 12. */
  readonly months: readonly number[]
  /** 0 (Sunday) to 6. */
  readonly weekdays: readonly number[]
  /** Both days and weekdays are restricted. Then a date that meets either matches, as in every cron. */
  readonly isEitherDay: boolean
  /** IANA name. `UTC` if the expression names none. */
  readonly timeZone: string
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The 29th of February comes again after at most eight years. */
const MOST_DAYS = 8 * 366

/** Returns the last time at or before `now` and after `now - within` that matches the expression. */
export function previousOccurrence(cron: Cron, now: EpochMs, within: DurationMs): EpochMs | undefined {
  const today = dayOf(cron, now)
  const days = Math.min(MOST_DAYS, Math.ceil(within / DAY_MS) + 1)
  for (let back = 0; back <= days; back++) {
    const hit = occurrencesOn(cron, today - back).findLast((at) => at <= now)
    if (hit !== undefined) return hit > now - within ? epochMs(hit) : undefined
  }
  return undefined
}

/** Returns the first time after `now` that matches. Undefined if no date ever matches. */
export function nextOccurrence(cron: Cron, now: EpochMs): EpochMs | undefined {
  const today = dayOf(cron, now)
  for (let ahead = 0; ahead <= MOST_DAYS; ahead++) {
    const hit = occurrencesOn(cron, today + ahead).find((at) => at > now)
    if (hit !== undefined) return epochMs(hit)
  }
  return undefined
}

/** Returns the number of the local day since 1970-01-01. */
function dayOf({ timeZone }: Cron, now: EpochMs): number {
  return Math.floor((now + offsetAt(timeZone, now)) / DAY_MS)
}

/** Returns the matching instants of one local day, ascending. */
function occurrencesOn(cron: Cron, day: number): readonly number[] {
  if (!matchesDay(cron, day)) return []
  const hits = cron.hours.flatMap((hour) =>
    cron.minutes.flatMap((minute) => instantsOf(cron.timeZone, day * DAY_MS + (hour * 60 + minute) * MINUTE_MS)),
  )
  return hits.sort((first, second) => first - second)
}

function matchesDay({ days, months, weekdays, isEitherDay }: Cron, day: number): boolean {
  const { month, date } = calendarOf(day)
  if (!months.includes(month)) return false
  const weekday = (((day + THURSDAY) % 7) + 7) % 7
  const [isDate, isWeekday] = [days.includes(date), weekdays.includes(weekday)]
  return isEitherDay ? isDate || isWeekday : isDate && isWeekday
}

/** Weekday of 1970-01-01. */
const THURSDAY = 4

/** Returns the calendar date of a day number. Based on the calendar's period of 400 years or 146,097 days. */
function calendarOf(day: number): { readonly month: number; readonly date: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const year = Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365)
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  const fromMarch = Math.floor((5 * ofYear + 2) / 153)
  const date = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  return { month: fromMarch < 10 ? fromMarch + 3 : fromMarch - 9, date }
}

/**
 * Returns the instants of a local time. As in Karpenter, a local time that occurs twice gives two instants. A local time that clocks skip is moved by
 * the length of the gap.
 */
function instantsOf(timeZone: string, local: number): readonly number[] {
  if (timeZone === 'UTC') return [local]
  const before = local - offsetAt(timeZone, local - DAY_MS)
  const after = local - offsetAt(timeZone, local + DAY_MS)
  if (before === after) return [before]
  const real = [before, after].filter((instant) => instant + offsetAt(timeZone, instant) === local)
  return real.length > 0 ? real : [before]
}

/** Returns by how many milliseconds local clocks are ahead of UTC. Uses the runtime's time zone data. */
function offsetAt(timeZone: string, instant: number): number {
  if (timeZone === 'UTC') return 0
  const parts: { [part: string]: number } = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) if (type !== 'literal') parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const local = daysUntil(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
  return local - Math.floor(instant / 1000) * 1000
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'iso8601', ...numeric })
  formats.set(timeZone, made)
  return made
}

/** Returns the day number of a calendar date. */
function daysUntil(year: number, month: number, date: number): number {
  const from = month > 2 ? year : year - 1
  const era = Math.floor(from / 400)
  const ofEra = from - era * 400
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
}
