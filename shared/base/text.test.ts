import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText } from './text.ts'

describe('a text that is cut', () => {
  it.each([
    ['abcdefgh', 8, 'abcdefgh'],
    ['abcdefghi', 8, 'abcde...'],
    ['ééééé', 8, 'éé...'],
    ['€€€', 8, '€...'],
    ['😀😀😀', 8, '😀...'],
  ])('%s in %i bytes is %s', (text, most, cut) => expect(cutText(text, most)).toBe(cut))

  it('never has more bytes than it may, and is whole where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 3, max: 120 }), (text, most) => {
        const cut = cutText(text, most)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
        if (Buffer.byteLength(text) <= most) expect(cut).toBe(text)
        else expect(text.startsWith(cut.slice(0, -3))).toBe(true)
      }),
    )
  })
})
