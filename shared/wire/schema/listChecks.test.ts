import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { atMostMembers, noneTwice } from './listChecks.ts'

/** Returns the refusals as pairs of path and rule. */
function refusalsOf(check: z.core.CheckFn<unknown>, value: unknown) {
  const { error } = z.unknown().check(check).safeParse(value)
  return error === undefined ? [] : error.issues.map(({ path, message }) => [path.join('.'), message])
}

describe('items that come once', () => {
  it.each([
    [
      undefined,
      ['a', 'b', 'a', 'a'],
      [
        ['2', 'must not be listed twice'],
        ['3', 'must not be listed twice'],
      ],
    ],
    [undefined, ['a', 1, '1'], []],
    [
      ['key'],
      [
        { key: 'a', value: 1 },
        { key: 'a', value: 2 },
      ],
      [['1', 'must not have the same key as another item']],
    ],
    [
      ['key', 'effect'],
      [
        { key: 'a', effect: 'x' },
        { key: 'a', effect: 'y' },
      ],
      [],
    ],
    [['key', 'effect'], [{ key: 'a' }, { key: 'a' }], [['1', 'must not have the same key and effect as another item']]],
    [['key'], ['text', 'other'], [['1', 'must not have the same key as another item']]],
    [['key'], 'no list', []],
  ])('by %j', (keys, value, refusals) => {
    expect(refusalsOf(noneTwice(keys), value)).toEqual(refusals)
  })
})

describe('an object of at most two members', () => {
  it.each([
    [{ a: 1, b: 2 }, []],
    [{ a: 1, b: 2, c: 3 }, [['', 'must have at most 2 members, not 3']]],
    [['a', 'b', 'c'], []],
    ['text', []],
  ])('%j', (value, refusals) => {
    expect(refusalsOf(atMostMembers(2), value)).toEqual(refusals)
  })
})
