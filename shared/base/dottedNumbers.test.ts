import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDotted } from './text.ts'

describe('texts of numbers with dots', () => {
  it.each([
    ['202511.03.0', '202510.30.9'],
    ['202511.03.10', '202511.03.9'],
    ['202511.03.0', '22.12.31'],
    ['1.34.10', '1.34.9'],
    ['1.34.1', '1.34'],
  ])('IM-08: %s is newer than %s', (newer, older) => {
    expect(Math.sign(compareDotted(newer, older))).toBe(1)
    expect(Math.sign(compareDotted(older, newer))).toBe(-1)
  })

  it.each([
    ['1.34', '1.34.0'],
    ['1.a', '1.0'],
    ['', '0'],
  ])('IM-08: %j is as new as %j', (one, other) => expect(compareDotted(one, other)).toBe(0))

  it('are in one order, whatever they are', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789.ab'.split('')), maxLength: 8 })
    fc.assert(
      fc.property(text, text, text, (one, other, third) => {
        expect(Math.sign(compareDotted(one, other)) + Math.sign(compareDotted(other, one))).toBe(0)
        if (compareDotted(one, other) <= 0 && compareDotted(other, third) <= 0) expect(compareDotted(one, third)).toBeLessThanOrEqual(0)
      }),
    )
  })
})
