import { describe, expect, it } from 'vitest'
import { ageOf, humanDuration } from './age.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

describe('a duration, as kubectl shows it', () => {
  const shown: readonly (readonly [number, string])[] = [
    [-2 * SECOND, '<invalid>'],
    [-SECOND, '0s'],
    [0, '0s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE + 30 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + 30 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY + HOUR, '8d'],
    [2 * YEAR - DAY, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + DAY, '2y1d'],
    [8 * YEAR + DAY, '8y'],
  ]
  it.each(shown)('%d ms is %s', (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text))
})

describe('an age', () => {
  it.each([
    [undefined, '<unknown>'],
    ['', '<unknown>'],
    ['yesterday', '<invalid>'],
    ['2026-01-01T00:00:00Z', '60m'],
  ])('since %j is %s', (timestamp, text) => expect(ageOf(timestamp, Date.parse('2026-01-01T01:00:00Z'))).toBe(text))
})
