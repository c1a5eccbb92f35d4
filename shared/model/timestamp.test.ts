import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'
import { epochMs } from './units.ts'

/** Seconds in the years 0 to 9999, the range of four-digit years. */
const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })
const pad = (value: number): string => String(value).padStart(2, '0')

describe('a timestamp', () => {
  it('is written as the platform writes it, to the second, and read back', () => {
    fc.assert(
      fc.property(seconds, (at) => {
        const text = formatTimestamp(epochMs(at * 1000))
        expect(text).toBe(new Date(at * 1000).toISOString().replace('.000', ''))
        expect(parseTimestamp(text)).toBe(at * 1000)
      }),
      // The first and last days of months, of leap years and of centuries.
      {
        examples: ['0000-02-29', '1900-02-28', '1900-03-01', '2000-02-29', '2000-12-31', '2024-02-29', '2100-02-28', '2100-03-01'].map(
          (day) => [Date.parse(`${day}T00:00:00Z`) / 1000],
        ),
      },
    )
  })

  it('in the middle of a second is that of the second', () => {
    expect(formatTimestamp(epochMs(1_767_225_600_999))).toBe('2026-01-01T00:00:00Z')
    expect(formatTimestamp(epochMs(-1))).toBe('1969-12-31T23:59:59Z')
  })

  it('may carry an offset, and is the instant that the platform reads', () => {
    fc.assert(
      fc.property(seconds, fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59), (at, sign, hours, minutes) => {
        const text = formatTimestamp(epochMs(at * 1000)).replace('Z', `${sign}${pad(hours)}:${pad(minutes)}`)
        expect(parseTimestamp(text)).toBe(Date.parse(text))
      }),
    )
  })

  it('may carry fractions, which do not count, and a leap second', () => {
    expect(parseTimestamp('2026-01-01T02:30:00.123456789+02:30')).toBe(1_767_225_600_000)
    expect(parseTimestamp('2025-12-31T23:59:60Z')).toBe(1_767_225_600_000)
  })

  it.each([
    '',
    'tomorrow',
    '2026-01-01',
    '2026-01-01T00:00:00',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z ',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00+2:30',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})
