import { Cron } from 'croner'
import { FunctionError } from '../base/hostError.ts'
import { messageOf } from '../base/hostLog.ts'

export type TimerSchedule = {
  /** Returns the first occurrence after `afterMs`, in epoch milliseconds. */
  next(afterMs: number): number
  /** Some occurrences are less than a minute apart. The platform keeps no schedule monitor for such a timer. */
  readonly isSubMinute: boolean
}

const MINUTE_MS = 60_000
const SAMPLES = 100

/** Parses a NCRONTAB expression of five or six fields, in UTC. A day must match both day fields. */
export function parseSchedule(functionName: string, expression: string): TimerSchedule {
  const fields = expression.trim().split(/\s+/)
  if (/^\d+(\.\d+)?:\d+/.test(expression)) refuse(functionName, expression, 'time spans work on App Service plans only; write six fields')
  if (fields.length !== 5 && fields.length !== 6)
    refuse(functionName, expression, 'it must have six fields: second minute hour day month day-of-week')
  // the platform's parser accepts neither L, W, # and ?, nor Sunday as 7
  if (!/^[\d*,/A-Z\s-]+$/i.test(expression) || /(^|[\s,\d])[LW]([\s,]|$)/i.test(expression))
    refuse(functionName, expression, 'only digits, names of months and days, and * , - / are allowed')
  if (/7/.test(fields.at(-1) ?? '')) refuse(functionName, expression, 'days of the week go from 0 (Sunday) to 6')
  const cron = cronOf(functionName, expression)
  const next = (afterMs: number): number => {
    const run = cron.nextRun(new Date(afterMs))
    if (run === null) return refuse(functionName, expression, 'it never occurs')
    return run.getTime()
  }
  return { next, isSubMinute: isSubMinute(next) }
}

function cronOf(functionName: string, expression: string): Cron {
  try {
    return new Cron(expression, { timezone: 'Etc/UTC', mode: '5-or-6-parts', domAndDow: true, paused: true })
  } catch (cause) {
    return refuse(functionName, expression, messageOf(cause))
  }
}

function isSubMinute(next: (afterMs: number) => number): boolean {
  let at = next(0)
  for (let sample = 0; sample < SAMPLES; sample++) {
    const after = next(at)
    if (after - at < MINUTE_MS) return true
    at = after
  }
  return false
}

function refuse(functionName: string, expression: string, why: string): never {
  throw new FunctionError(`function ${functionName}: schedule "${expression}" is not valid: ${why}`)
}
