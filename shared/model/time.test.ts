import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, formatTimestamp, parseDuration, parseDurationOrNever, parseTimestamp } from './time.ts'
import { durationMs, epochMs } from './units.ts'

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

describe('a duration', () => {
  const table: { [text: string]: { ms: number; prints: string } } = {
    '720h': { ms: 2_592_000_000, prints: '720h' },
    '1h30m5s': { ms: 5_405_000, prints: '1h30m5s' },
    '90m': { ms: 5_400_000, prints: '1h30m' },
    '0s': { ms: 0, prints: '0s' },
    '0': { ms: 0, prints: '0s' },
    '1.5h': { ms: 5_400_000, prints: '1h30m' },
    '250ms': { ms: 250, prints: '250ms' },
    '1500us': { ms: 2, prints: '2ms' },
  }
  for (const [text, { ms, prints }] of Object.entries(table)) {
    it(`${text} is ${ms} ms and prints as ${prints}`, () => {
      expect(parseDuration(text)).toEqual({ ok: true, value: ms })
      expect(formatDuration(durationMs(ms))).toBe(prints)
    })
  }
  for (const text of ['', '1hr', '-1s', 'h', '5', 'Never', '1d', '1h 30m', `${'9'.repeat(20)}h`]) {
    it(`${JSON.stringify(text.slice(0, 12))} is none`, () =>
      expect(parseDuration(text)).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID' } }))
  }
  it('may be Never where that is allowed', () => {
    expect([parseDurationOrNever('Never'), parseDurationOrNever('1s')]).toEqual([
      { ok: true, value: 'Never' },
      { ok: true, value: 1000 },
    ])
    expect(formatDuration('Never')).toBe('Never')
  })
  it('below zero prints with its sign', () => expect(formatDuration(durationMs(-61_000))).toBe('-1m1s'))
  it('survives printing and parsing', () => {
    fc.assert(fc.property(fc.nat(), (ms) => void expect(parseDuration(formatDuration(durationMs(ms)))).toEqual({ ok: true, value: ms })))
  })
})
