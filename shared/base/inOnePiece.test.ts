import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pieceMaker } from './text.ts'

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
