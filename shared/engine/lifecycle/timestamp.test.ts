import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

describe('a timestamp', () => {
  it('is written as the platform writes it, to the second, and read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000, max: 250_000_000_000 }), (seconds) => {
        const text = formatTimestamp(epochMs(seconds * 1000))
        expect(text).toBe(new Date(seconds * 1000).toISOString().replace('.000', ''))
        expect(parseTimestamp(text)).toBe(seconds * 1000)
      }),
    )
  })

  it('may carry fractions and an offset', () => {
    expect(parseTimestamp('2026-01-01T02:30:00.123+02:30')).toBe(1_767_225_600_000)
    expect(parseTimestamp('2025-12-31T19:00:00-05:00')).toBe(1_767_225_600_000)
  })

  it.each(['', 'tomorrow', '2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z'])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})
