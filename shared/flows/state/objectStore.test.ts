import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byText } from '../../base/lists.ts'
import type { Change } from '../../model/change.ts'
import { epochMs } from '../../model/units.ts'
import { createEntryTable, type Entry } from './objectStore.ts'

function entry(key: string, seq: number): Entry {
  const change: Change = { op: 'delete', kind: 'pod', key, seq, at: epochMs(0) }
  return { version: { term: 1, seq }, change }
}

const KEY = fc.integer({ min: 0, max: 40 }).map((number) => `pod-${number}`)
const STEP = fc.record({ does: fc.constantFrom('set', 'set', 'remove'), key: KEY })

describe('a table of entries', () => {
  it('is a map from keys to entries, whatever it was filled with and in whatever order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(KEY), fc.boolean(), fc.array(STEP, { maxLength: 80 }), (first, isInOrder, steps) => {
        const table = createEntryTable()
        const model = new Map<string, Entry>()
        const set = (key: string, seq: number): void => {
          table.set(key, entry(key, seq))
          model.set(key, entry(key, seq))
        }
        for (const key of isInOrder ? first.sort(byText) : first) set(key, 0)
        for (const [seq, { does, key }] of steps.entries()) {
          if (does === 'set') set(key, seq + 1)
          else {
            table.remove(key)
            model.delete(key)
          }
          expect(table.get(key)).toEqual(model.get(key))
        }
        const ordered = [...model].sort(([one], [other]) => byText(one, other)).map(([, each]) => each)
        expect(table.sorted()).toEqual(ordered)
        expect(table.size()).toBe(model.size)
        for (const [key, each] of model) expect(table.get(key)).toEqual(each)
      }),
      { numRuns: 500 },
    )
  })

  it('lets each visitor remove what it visits, and visits the others all the same', () => {
    const table = createEntryTable()
    for (let number = 10; number < 30; number++) table.set(`pod-${number}`, entry(`pod-${number}`, number))
    const visited: number[] = []
    table.each(({ version }, key) => {
      visited.push(version.seq)
      if (version.seq % 3 !== 0) table.remove(key)
    })
    expect(visited).toHaveLength(20)
    expect(table.sorted().map(({ version }) => version.seq)).toEqual([12, 15, 18, 21, 24, 27])
  })
})
