import { describe, expect, it } from 'vitest'
import { isSame } from './isSame.ts'

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
