import { err, ok, type Result } from '../base/result.ts'
import { ownValue } from '../base/values.ts'
import type { DurationOrNever } from './nodePool.ts'
import { type Problem, problem } from './problem.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs } from './units.ts'

const DAY_MS = 86_400_000
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/

/** Formats an instant as in annotations, in whole seconds: `2026-01-01T00:00:00Z`. */
export function formatTimestamp(instant: EpochMs): string {
  const { year, month, day } = dateOf(Math.floor(instant / DAY_MS))
  const seconds = Math.floor((((instant % DAY_MS) + DAY_MS) % DAY_MS) / 1000)
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => pad(part, 2)).join(':')
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${time}Z`
}

/** Parses an RFC 3339 timestamp. Undefined if the text is none. */
export function parseTimestamp(text: string): EpochMs | undefined {
  const match = SHAPE.exec(text)
  if (match === null) return undefined
  const parts = match.slice(1, 7).map(Number)
  if (!parts.every((part, index) => isWithinRange(part, RANGES[index]))) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  const offset = (match[7] === '-' ? -1 : 1) * (Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0))
  return epochMs((daysOf(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second) * 1000)
}

type Range = readonly [least: number, most: number]

/** Year, month, day, hour, minute, second. */
const RANGES: readonly Range[] = [
  [0, 9999],
  [1, 12],
  [1, 31],
  [0, 23],
  [0, 59],
  [0, 60],
]

function isWithinRange(part: number, range: Range | undefined): boolean {
  return range !== undefined && part >= range[0] && part <= range[1]
}

/** Returns the days since 1970-01-01 in the Gregorian calendar. Counts years from March, so that the leap day comes last. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

function dateOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

/** Parses a duration made of hours, minutes, seconds and finer parts, as in `1h30m5s` or `1.5h`. */
export function parseDuration(text: string): Result<DurationMs, Problem> {
  if (text === '0') return ok(durationMs(0))
  if (!WHOLE.test(text)) return refuse(text, 'write parts of a number and a unit, such as 1h30m5s')
  const rounded = Math.round(msIn(text))
  return Number.isSafeInteger(rounded) ? ok(durationMs(rounded)) : refuse(text, 'it is too long')
}

/** The seconds of a duration that was checked before, however long it is. */
export function secondsIn(text: string): number {
  return Math.round(msIn(text) / 1000)
}

/** Parses a duration or `Never`. */
export function parseDurationOrNever(text: string): Result<DurationOrNever, Problem> {
  return text === 'Never' ? ok('Never') : parseDuration(text)
}

/** Prints a duration with the parts that are not zero: `720h`, `1h30m5s`, `0s`. */
export function formatDuration(duration: DurationOrNever): string {
  if (duration === 'Never') return duration
  let rest: number = Math.abs(duration)
  let text = duration < 0 ? '-' : ''
  if (rest === 0) return '0s'
  for (const [unit, ms] of PRINTED_UNITS) {
    const count = Math.floor(rest / ms)
    if (count > 0) text += `${count}${unit}`
    rest -= count * ms
  }
  return text
}

const PRINTED_UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const
const MS_PER_UNIT: { readonly [unit: string]: number } = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 }
const WHOLE = /^([0-9]+(\.[0-9]*)?(h|ms|m|s|us|µs|ns))+$/
const PART = /([0-9]+(?:\.[0-9]*)?)(h|ms|m|s|us|µs|ns)/g

function msIn(text: string): number {
  let total = 0
  for (const [, amount = '', unit = ''] of text.matchAll(PART)) total += Number(amount) * (ownValue(MS_PER_UNIT, unit) ?? 0)
  return total
}

function refuse(text: string, rule: string): Result<never, Problem> {
  return err(problem('INPUT.INVALID', `duration ${JSON.stringify(text.slice(0, 60))}: ${rule}`))
}
