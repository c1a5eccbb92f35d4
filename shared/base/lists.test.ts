import { describe, expect, it } from 'vitest'
import { addAll, largestOf, leastOf, replaceAll } from './lists.ts'

const MANY = Array.from({ length: 1_000_000 }, (_, index) => index)

describe('a list of a million', () => {
  it('is added', () => {
    const list = [-1]
    addAll(list, MANY)
    expect([list.length, list[0], list.at(-1)]).toEqual([1_000_001, -1, 999_999])
  })

  it('takes the place of another', () => {
    const list = [-1]
    replaceAll(list, MANY)
    expect([list.length, list[0], list.at(-1)]).toEqual([1_000_000, 0, 999_999])
  })

  it('has a least and a largest', () => expect([leastOf(MANY), largestOf(MANY)]).toEqual([0, 999_999]))
})

it('an empty list has the start', () => {
  expect([leastOf([]), largestOf([]), leastOf([], 7), largestOf([], 7)]).toEqual([Infinity, -Infinity, 7, 7])
})
