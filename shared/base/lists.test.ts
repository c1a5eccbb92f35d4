import { describe, expect, it } from 'vitest'
import { createRandom } from '../../test/agreement/random.ts'
import { addAll, byKey, byText, differences, exchanged, largestOf, leastOf, replaceAll } from './lists.ts'

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

describe('exchanged', () => {
  it('is the sorted list without what is dropped and with what is added, for random lists', () => {
    const random = createRandom(5)
    const some = (): readonly string[] =>
      [...new Set(Array.from({ length: random.int(12) }, () => String.fromCharCode(97 + random.int(20))))].sort(byText)
    for (let round = 0; round < 2_000; round++) {
      const [sorted, dropped, added] = [some(), some(), some()]
      const want = [...new Set([...sorted.filter((each) => !dropped.includes(each)), ...added])].sort(byText)
      expect(exchanged(sorted, dropped, added, byText)).toEqual(want)
    }
  })
})

it('exchanges most values of a long list', () => {
  const odd = MANY.filter((each) => each % 2 === 1)
  const byNumber = (first: number, second: number): number => first - second
  expect(exchanged(odd, odd, [...odd.slice(0, 1_000), -1].sort(byNumber), byNumber)).toEqual([-1, ...odd.slice(0, 1_000)])
})

describe('differences', () => {
  type Value = { readonly name: string }
  const order = byKey<Value>(({ name }) => name)

  it('are what one of two sorted lists does not have, for random lists', () => {
    const random = createRandom(6)
    const old = Array.from({ length: 20 }, (_, at): Value => ({ name: String.fromCharCode(97 + at) }))
    const renewed = old.map((each) => ({ ...each }))
    for (let round = 0; round < 2_000; round++) {
      const before = random.some(old, 0.7)
      const after = old.flatMap((each, at) => (random.chance(0.7) ? [random.chance(0.8) ? each : (renewed[at] ?? each)] : []))
      const { gone, come } = differences(before, after, order)
      expect(gone).toEqual(before.filter((each) => !after.includes(each)))
      expect(come).toEqual(after.filter((each) => !before.includes(each)))
    }
  })
})
