import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../shared/model/units.ts'
import { createOutbox, type Unsent } from './outbox.ts'

const change = fc.record({
  kind: fc.constantFrom('pod' as const, 'node' as const),
  key: fc.constantFrom('a', 'b', 'c'),
  at: fc.constant(epochMs(0)),
  op: fc.constant('put' as const),
  text: fc.string({ maxLength: 20 }),
})
const limits = fc.record({ changes: fc.integer({ min: 1, max: 4 }), length: fc.integer({ min: 1, max: 40 }) })
const lengthOf = (changes: readonly Unsent[]) => changes.reduce((sum, { text }) => sum + text.length, 0)

describe('the outbox', () => {
  it('holds the newest change of each object in the order they first came, and knows how long they are', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: change }, limits), { maxLength: 30 }), (steps) => {
        const outbox = createOutbox()
        let model: Unsent[] = []
        for (const step of steps) {
          if ('key' in step) {
            outbox.put(step)
            const at = model.findIndex(({ kind, key }) => kind === step.kind && key === step.key)
            if (at === -1) model.push(step)
            else model[at] = step
          } else {
            const taken = outbox.take(step)
            expect(taken).toEqual(model.slice(0, taken.length))
            model = model.slice(taken.length)
            expect(taken.length <= step.changes && (taken.length <= 1 || lengthOf(taken) <= step.length)).toBe(true)
            const [next] = model
            if (next !== undefined) expect(taken.length === step.changes || lengthOf([...taken, next]) > step.length).toBe(true)
          }
          expect({ size: outbox.size, length: outbox.length }).toEqual({ size: model.length, length: lengthOf(model) })
          for (const kind of ['pod', 'node'] as const) {
            for (const key of ['a', 'b', 'c'])
              expect(outbox.has(kind, key)).toBe(model.some((each) => each.kind === kind && each.key === key))
          }
        }
        expect(outbox.clear()).toEqual(model)
        expect({ size: outbox.size, length: outbox.length }).toEqual({ size: 0, length: 0 })
      }),
    )
  })
})
