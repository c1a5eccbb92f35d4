import { describe, expect, it } from 'vitest'
import { casesOf, seedsOf } from '../properties/cases.ts'
import { PODS_A_NODE, type ScaleDownShape, scaleDown } from './scaleDownStory.ts'

const SEEDS = seedsOf(casesOf(1))

describe('1,000 pods scaled to 300', () => {
  it.each<[sentence: string, shape: Pick<ScaleDownShape, 'deletedInSecond' | 'exitMs'>]>([
    ['in nine seconds', { deletedInSecond: 80, exitMs: 500 }],
    ['in nine seconds, with pods that take five seconds to end', { deletedInSecond: 80, exitMs: 5_000 }],
    ['at once, with pods that take eight seconds to end', { deletedInSecond: 2_800, exitMs: 8_000 }],
  ])(
    '%s, move as few pods as possible, once, and buy nothing',
    async (_sentence, shape) => {
      for (const seed of SEEDS) {
        const { nodes, evicted, leastEvicted, bought, seconds } = await scaleDown({ ...shape, seed, from: 1_000, to: 300 })
        expect({ nodes, evicted, bought }, `seed ${seed}`).toEqual({ nodes: [67, 300 / PODS_A_NODE, 67], evicted: leastEvicted, bought: 0 })
        expect(seconds).toBeLessThan(45)
      }
    },
    120_000,
  )
})
