import { CronPattern } from 'croner'
import { messageOf } from '../../base/result.ts'
import { ownValue } from '../../base/values.ts'
import type { Cron } from '../../model/cron.ts'
import type { Budget } from '../../model/nodePool.ts'

/** Returns the budget with its schedule parsed, so that decisions need not parse text. */
export function withStarts(budget: Budget): Budget {
  return budget.schedule === undefined ? budget : { ...budget, starts: cronFrom(budget.schedule) }
}

const MACROS: { readonly [macro: string]: string } = {
  '@annually': '0 0 1 1 *',
  '@yearly': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Syntax that the library accepts beyond the five plain fields, and Karpenter does not. */
const BEYOND_PLAIN = /[LW#+]/i
const NAMES = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b/gi

function cronFrom(schedule: string): Cron | { readonly problem: string } {
  const zoned = /^(?:CRON_TZ|TZ)=(\S+)\s+(.*)$/.exec(schedule.trim())
  const timeZone = zoned?.[1] ?? 'UTC'
  const written = (zoned?.[2] ?? schedule).trim()
  if (!isTimeZone(timeZone)) return { problem: `${timeZone} is not the name of a time zone; write one such as Europe/Berlin` }
  const expression = ownValue(MACROS, written) ?? written
  if (BEYOND_PLAIN.test(expression.replace(NAMES, ''))) return { problem: `"${written}" is not a cron expression of five plain fields` }
  try {
    const { minute, hour, day, month, dayOfWeek, starDOM, starDOW } = new CronPattern(expression, 'UTC', { mode: '5-part' })
    return {
      minutes: placesOf(minute),
      hours: placesOf(hour),
      days: placesOf(day).map((place) => place + 1),
      months: placesOf(month).map((place) => place + 1),
      weekdays: placesOf(dayOfWeek),
      isEitherDay: !starDOM && !starDOW,
      timeZone,
    }
  } catch (cause) {
    return { problem: messageOf(cause).replace(/^CronPattern: /, '') }
  }
}

function placesOf(field: readonly number[]): readonly number[] {
  return field.flatMap((value, place) => (value === 0 ? [] : [place]))
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
