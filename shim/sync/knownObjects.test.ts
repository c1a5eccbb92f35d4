import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKnownObjects } from './knownObjects.ts'

type Held = { fingerprint: number; setVersion: number; seen: boolean }

/** More keys than the first columns hold, so that they grow. */
const KEYS = Array.from({ length: 150 }, (_, index) => `key-${index}`)
const key = fc.constantFrom(...KEYS)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('queue' as const), key, value: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stamp' as const), key, value: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('markSeen' as const, 'forget' as const), key, value: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeUnseen' as const), key, value: fc.constant(0) }) },
)

describe('known objects', () => {
  it('are what a map of small objects would hold, however many come, go and come again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600, size: 'max' }), (steps) => {
        const known = createKnownObjects()
        const model = new Map<string, Held>()
        const { fingerprint, isNewerThan } = known
        for (const each of steps) {
          const held = model.get(each.key)
          if (each.do === 'queue') {
            known.queue(each.key, each.value)
            model.set(each.key, { fingerprint: each.value, setVersion: Number.POSITIVE_INFINITY, seen: held?.seen ?? false })
          } else if (each.do === 'stamp') {
            known.setVersion(each.key, each.value)
            if (held) held.setVersion = each.value
          } else if (each.do === 'markSeen') {
            known.markSeen(each.key)
            if (held) held.seen = true
          } else if (each.do === 'forget') {
            known.forget(each.key)
            model.delete(each.key)
          } else {
            const unseen = [...model].filter(([, { seen }]) => !seen).map(([name]) => name)
            expect(known.takeUnseen().sort()).toEqual(unseen.sort())
            for (const one of model.values()) one.seen = false
          }
        }
        expect(known.size).toBe(model.size)
        for (const name of KEYS) {
          const held = model.get(name)
          expect(fingerprint(name)).toBe(held?.fingerprint)
          for (const seq of [0, 4, 5, 9]) expect(isNewerThan(name, seq)).toBe(held !== undefined && held.setVersion > seq)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('take the room of those that were forgotten, so that a cluster whose pods come and go does not grow the table', () => {
    const known = createKnownObjects()
    for (let round = 0; round < 1_000; round++) {
      known.queue(`key-${round}`, round)
      if (round > 0) known.forget(`key-${round - 1}`)
    }
    expect(known.size).toBe(1)
    expect(known.fingerprint('key-999')).toBe(999)
  })
})
