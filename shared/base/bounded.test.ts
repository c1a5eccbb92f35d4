import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapBounded, settleBounded } from './bounded.ts'

/** Yields `count` times, so that items finish in another order than they started in. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve()
}

describe('settleBounded', () => {
  it('runs every item once, never more than the bound beside each other, and keeps the order', async () => {
    const items = fc.array(fc.record({ turns: fc.nat(20), fails: fc.boolean() }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(items, fc.integer({ min: 1, max: 8 }), async (all, atOnce) => {
        let running = 0
        let most = 0
        const seen: number[] = []
        const outcomes = await settleBounded(all, atOnce, async (item, index) => {
          seen.push(index)
          most = Math.max(most, ++running)
          await turns(item.turns)
          running--
          if (item.fails) throw new Error(`item ${index}`)
          return index
        })
        expect(seen).toEqual(all.map((_, index) => index))
        expect(most).toBeLessThanOrEqual(atOnce)
        expect(outcomes).toEqual(
          all.map((item, index) => (item.fails ? { ok: false, error: new Error(`item ${index}`) } : { ok: true, value: index })),
        )
      }),
    )
  })

  it('fills all its places', async () => {
    let running = 0
    let most = 0
    await settleBounded([1, 2, 3, 4, 5], 3, async () => {
      most = Math.max(most, ++running)
      await turns(3)
      running--
    })
    expect(most).toBe(3)
  })

  it('settles an item whose call throws at once, before it gives a promise', async () => {
    const outcomes = await settleBounded([1, 2], 1, (item) => {
      if (item === 1) throw new Error('at once')
      return Promise.resolve(item)
    })
    expect(outcomes).toEqual([
      { ok: false, error: new Error('at once') },
      { ok: true, value: 2 },
    ])
  })
})

describe('mapBounded', () => {
  it('gives what each item gave', async () => {
    expect(await mapBounded([1, 2, 3], 2, (item) => Promise.resolve(item * 2))).toEqual([2, 4, 6])
  })

  it('throws the first failure in order, after all items have been run', async () => {
    const ran: number[] = []
    const mapped = mapBounded([1, 2, 3, 4], 2, async (item) => {
      ran.push(item)
      await turns(5 - item)
      if (item % 2 === 0) throw new Error(`item ${item}`)
    })
    await expect(mapped).rejects.toThrow('item 2')
    expect(ran).toEqual([1, 2, 3, 4])
  })
})
