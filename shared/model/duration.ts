import { ownValue } from '../base/ownValue.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { DurationOrNever } from './nodePool.ts'
import { type Problem, problem } from './problem.ts'
import { type DurationMs, durationMs } from './units.ts'

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
