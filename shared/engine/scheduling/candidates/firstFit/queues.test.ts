import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueue } from './queues.ts'

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('extend' as const), by: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('grow' as const), member: fc.nat({ max: 40 }), by: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant('drop' as const) }),
  ),
  { maxLength: 60 },
)

describe('a queue whose ranks grow', () => {
  it('has the member of least rank first, whatever has happened', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ranks: number[] = []
        const members = new Set<number>()
        const queue = createQueue((member) => ranks[member] ?? 0)
        for (const step of all) {
          if (step.kind === 'extend') {
            // Ranks are distinct. Some new members come before members that are there.
            for (let more = 0; more < step.by; more++) {
              members.add(ranks.length)
              ranks.push(((ranks.length * 7919) % 97) + ranks.length / 1000)
            }
            queue.extend(ranks.length)
          } else if (step.kind === 'grow') {
            const rank = ranks[step.member]
            if (rank !== undefined) ranks[step.member] = rank + step.by
          } else if (queue.first() >= 0) {
            members.delete(queue.first())
            queue.dropFirst()
          }
          const [least = -1] = [...members].sort((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0))
          expect(queue.first()).toBe(least)
        }
      }),
    )
  })

  it('takes a member back that was dropped', () => {
    const queue = createQueue((member) => member)
    queue.extend(3)
    queue.dropFirst()
    queue.add(0)
    expect(queue.first()).toBe(0)
  })
})
