import { describe, expect, it } from 'vitest'
import { isSame, ownValue, setOwnValue } from './values.ts'

/** Names that every plain object answers to. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype)

describe('the own value of a key', () => {
  it.each(INHERITED)('is absent while nobody set it: %s', (key) => {
    expect(ownValue({}, key)).toBeUndefined()
    expect(ownValue(undefined, key)).toBeUndefined()
  })

  it.each(INHERITED)('is what was set, and the record inherits as before: %s', (key) => {
    const members: { [key: string]: unknown } = {}
    for (const value of ['text', 7, {}, Object.prototype, Object.prototype.toString]) {
      setOwnValue(members, key, value)
      expect(ownValue(members, key)).toBe(value)
    }
    expect(Object.keys(members)).toEqual([key])
    expect(Object.getPrototypeOf(members)).toBe(Object.prototype)
  })

  it.each(INHERITED)('is what JSON says: %s', (key) => {
    const members: { readonly [key: string]: unknown } = JSON.parse(`{"${key}":"text"}`)
    expect(ownValue(members, key)).toBe('text')
  })
})

describe('isSame', () => {
  const same: { readonly [sentence: string]: readonly [unknown, unknown] } = {
    'members in another order': [
      { a: 1, b: { c: 'x' } },
      { b: { c: 'x' }, a: 1 },
    ],
    'lists of equal members': [
      [1, { a: [] }],
      [1, { a: [] }],
    ],
    'nothing and nothing': [null, null],
    'members that are undefined in both': [{ a: undefined }, { a: undefined }],
  }
  for (const [sentence, [first, second]] of Object.entries(same)) {
    it(`holds for ${sentence}`, () => expect(isSame(first, second)).toBe(true))
  }

  const different: { readonly [sentence: string]: readonly [unknown, unknown] } = {
    'a member more': [{ a: 1 }, { a: 1, b: 2 }],
    'a member less': [{ a: 1, b: 2 }, { a: 1 }],
    'another member of the same number': [{ a: undefined }, { b: undefined }],
    'another order of a list': [
      [1, 2],
      [2, 1],
    ],
    'a shorter list': [[1], [1, 2]],
    'a list and an object': [[], {}],
    'nothing and an object': [null, {}],
    'a number and its text': [1, '1'],
  }
  for (const [sentence, [first, second]] of Object.entries(different)) {
    it(`does not hold for ${sentence}`, () => expect(isSame(first, second)).toBe(false))
  }
})
