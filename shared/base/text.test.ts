import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest, compareDotted, cutText, pieceMaker } from './text.ts'

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

const inOnePiece = pieceMaker()

describe('an object in one piece', () => {
  it('is equal, holds the same things, and has its members in the same order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (object) => {
        const made = inOnePiece(object)
        expect(made).not.toBe(inOnePiece(object))
        expect(made).toEqual(object)
        expect(Object.entries(made)).toEqual(Object.entries(object))
        for (const [name, value] of Object.entries(object)) expect(Object.is(Reflect.get(made, name), value)).toBe(true)
      }),
    )
  })
})

describe('the closest words', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['LOG_LEVL', ['LOG_LEVEL', 'PLACEMENT'], ['LOG_LEVEL']],
    ['log_level', ['LOG_LEVEL'], ['LOG_LEVEL']],
    ['idle', ['BATCH_IDLE_DURATION', 'PLACEMENT'], ['BATCH_IDLE_DURATION']],
    ['ab', ['xaby'], ['xaby']],
    ['', ['abc'], []],
    ['anything', [], []],
    ['something else', ['LOG_LEVEL'], []],
  ])('to %j of %j are %j', (word, known, expected) => expect(closest(word, known)).toEqual(expected))

  it('are three at most, the nearest first', () => {
    expect(closest('abcd', ['abxy', 'abcx', 'abcd', 'axcd', 'zzzzzzzz'])).toEqual(['abcd', 'abcx', 'axcd'])
  })
})
