import { expect, it } from 'vitest'
import { createRandom } from '../../../../../test/agreement/random.ts'
import { createRejections } from './place.ts'

const PLACES = 200
const ALL = Array.from({ length: PLACES }, (_, place) => place)

it.each([1, 2, 3, 4])('places that refused a pod, or that come before a search, need not be asked again (seed %i)', (seed) => {
  const random = createRandom(seed)
  const marks = createRejections().of({ id: 0 })
  let open = new Set(ALL)
  for (let step = 0; step < 300; step++) {
    const place = random.int(3) === 0 ? marks.first : random.int(PLACES)
    if (random.int(30) === 0) {
      marks.begin(Math.min(place, marks.first + 3))
      open = new Set([...open].filter((each) => each >= marks.first))
    } else {
      marks.add(place)
      open.delete(place)
    }
    expect(ALL.filter((each) => each >= marks.first && !marks.has(each))).toEqual([...open])
    expect(marks.first).toBe(Math.min(...open, PLACES))
    if (open.size === 0) break
  }
})
