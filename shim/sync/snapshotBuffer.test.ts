import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSnapshotBuffer } from './snapshotBuffer.ts'

const add = fc.record({ section: fc.nat({ max: 2 }), change: fc.integer().map((value) => JSON.stringify({ value })) })
const restart = fc.record({ section: fc.nat({ max: 2 }), change: fc.constant(undefined) })

describe('the snapshot buffer', () => {
  it('gives back what was added and not begun again, in parts within the limits', () => {
    const limits = fc.record({ changes: fc.integer({ min: 1, max: 4 }), length: fc.integer({ min: 1, max: 60 }) })
    const steps = fc.array(fc.oneof({ weight: 8, arbitrary: add }, restart), { maxLength: 40 })
    fc.assert(
      fc.property(limits, steps, (limit, each) => {
        const buffer = createSnapshotBuffer(limit)
        const sections = [0, 1, 2].map(() => ({ into: buffer.section(), held: [] as string[] }))
        for (const { section, change } of each) {
          const { into, held } = sections[section] ?? expect.fail()
          if (change === undefined) {
            into.restart()
            held.length = 0
          } else {
            into.add(change)
            held.push(change)
          }
        }
        const parts = buffer.finish()
        const read = Array.from({ length: parts.count }, (_, index) => parts.read(index))
        const changes = read.map((part) => JSON.parse(`[${part.changes}]`) as readonly object[])
        expect(read.map(({ count }) => count)).toEqual(changes.map(({ length }) => length))
        expect(
          changes
            .flat()
            .map((one) => JSON.stringify(one))
            .sort(),
        ).toEqual(sections.flatMap(({ held }) => held).sort())
        for (const part of changes) {
          expect(part.length).toBeLessThanOrEqual(limit.changes)
          const before = part.slice(0, -1).map((one) => JSON.stringify(one))
          expect(before.join('').length).toBeLessThanOrEqual(limit.length)
        }
      }),
    )
  })

  it('has one part for an empty cluster, which is a snapshot too', () => {
    const buffer = createSnapshotBuffer({ changes: 10, length: 100 })
    buffer.section()
    const parts = buffer.finish()
    expect([parts.count, parts.read(0), parts.read(1)]).toEqual([1, { changes: '', count: 0 }, { changes: '', count: 0 }])
  })
})
