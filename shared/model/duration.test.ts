import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration, parseDurationOrNever } from './duration.ts'
import { durationMs } from './units.ts'

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
