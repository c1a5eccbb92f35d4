import { describe, expect, it } from 'vitest'
import { createRandom } from '../../test/agreement/random.ts'
import { byText, exchanged } from './order.ts'

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
