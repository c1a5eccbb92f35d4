import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../../test/agreement/random.ts'
import { createTournament } from './tournament.ts'

type Entry = { readonly score: number; readonly place: number }

const isHigher = (later: Entry, earlier: Entry): boolean => later.score > earlier.score

/** The entry with the highest score. Of several it is the first. Every entry is compared. */
function bestOf(entries: readonly (Entry | undefined)[]): Entry | undefined {
  return entries.reduce(
    (best, each) => (best === undefined || (each !== undefined && isHigher(each, best)) ? (each ?? best) : best),
    undefined,
  )
}

describe('the best of many entries', () => {
  it('is none of none', () => {
    expect(createTournament<Entry>(0, isHigher).best()).toBeUndefined()
    expect(createTournament<Entry>(3, isHigher).best()).toBeUndefined()
  })

  it.each([1, 2, 3, 7, 8, 33])('is what a look at all %d finds, whatever comes and goes', (places) => {
    const random = createRandom(places)
    const entries: (Entry | undefined)[] = Array.from({ length: places })
    const tournament = createTournament<Entry>(places, isHigher)
    for (let turn = 0; turn < 300; turn++) {
      const place = random.int(places)
      const entry = random.int(4) === 0 ? undefined : { score: random.int(5), place }
      entries[place] = entry
      tournament.set(place, entry)
      expect(tournament.best()).toEqual(bestOf(entries))
    }
  })
})
