import { describe, expect, it } from 'vitest'
import { createConcurrencyLimiter, type Rank } from './concurrencyLimiter.ts'

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
