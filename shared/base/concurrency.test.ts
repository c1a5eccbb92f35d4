import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createConcurrencyLimiter, mapBounded, type Rank, settleBounded } from './concurrency.ts'

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

/**
 * Makes `count` runs through a limiter of three, one of which fails. Returns the largest number of runs inside at a time, and the order in which
 * runs began.
 */
async function rush(count: number) {
  const pass = createConcurrencyLimiter(3)
  const began: number[] = []
  let inside = 0
  let most = 0
  const runs = Array.from({ length: count }, (_, index) =>
    pass(async () => {
      began.push(index)
      most = Math.max(most, ++inside)
      for (let turn = 0; turn <= index % 3; turn++) await new Promise((resolve) => setImmediate(resolve))
      inside--
      if (index === 1) throw new Error('one that fails')
      return index
    }),
  )
  const outcomes = await Promise.allSettled(runs)
  return { most, began, failed: outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])) }
}

describe('a concurrency limiter', () => {
  it('lets as many pass at once as it is told, all of them in the end, in the order they came, whatever becomes of each', async () => {
    expect(await rush(20)).toEqual({ most: 3, began: Array.from({ length: 20 }, (_, index) => index), failed: [1] })
    expect(await rush(2)).toMatchObject({ most: 2 })
  })

  it('for one runs one after another, also behind one that failed', async () => {
    const inTurn = createConcurrencyLimiter(1)
    const steps: string[] = []
    const work =
      (name: string, fails = false) =>
      async () => {
        steps.push(`${name} begins`)
        await Promise.resolve()
        steps.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const all = await Promise.allSettled([inTurn(work('a')), inTurn(work('b', true)), inTurn(work('c'))])
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('lets work of a lower rank pass first, and of eight places one go to the work that waits longest', async () => {
    const pass = createConcurrencyLimiter(1)
    const began: string[] = []
    const run = (name: string, rank?: Rank) => pass(async () => void began.push(name), rank)
    const told = Array.from({ length: 2 }, (_, index) => run(`told ${index}`, 3))
    const others = Array.from({ length: 4 }, (_, index) => run(`other ${index}`))
    const awaited = Array.from({ length: 6 }, (_, index) => run(`awaited ${index}`, 0))
    await Promise.all([...told, ...others, ...awaited])
    expect(began).toEqual([
      'told 0',
      ...['awaited 0', 'awaited 1', 'awaited 2', 'awaited 3', 'awaited 4', 'awaited 5', 'other 0'],
      'told 1',
      ...['other 1', 'other 2', 'other 3'],
    ])
  })

  it('lets work of every rank pass though work of each comes again and again', async () => {
    const pass = createConcurrencyLimiter(1)
    const passed = [0, 0, 0, 0]
    const again = async (rank: Rank): Promise<void> => {
      while ((passed[0] ?? 0) < 80) {
        // The next run queues in this rank before the current run leaves, so that no rank is ever empty.
        await pass(async () => void (passed[rank] = (passed[rank] ?? 0) + 1), rank)
      }
    }
    await Promise.all(([0, 0, 1, 1, 2, 2, 3, 3] as const).map(again))
    expect(Math.min(...passed)).toBeGreaterThan(2)
  })
})
