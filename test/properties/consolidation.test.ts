import { describe, expect, it } from 'vitest'
import { scaledDown } from '../generators/scaledDown.ts'
import { settleByOracle } from '../oracle/consolidation/settle.ts'
import { priceOfAll } from '../oracle/consolidation/standing.ts'
import { settleByEngine } from './settled.ts'

const CASES = Number(process.env['CONSOLIDATION_SEEDS'] ?? 100)
const FIRST_SEED = Number(process.env['CONSOLIDATION_FIRST_SEED'] ?? 1)
/** Rounding of a price an hour, in millionths of a dollar. */
const ROUNDING = 20

/**
 * Clusters that end dearer than by Karpenter's methods, at most. Measured: 4 % of seeds 1 to 300. Most of them hold spot machines of which one is
 * spared, and the one that gets its pods cannot be replaced alone; Karpenter replaces both together. The aim is 0.1 %.
 */
const MOST_DEARER = 0.05

describe(`${CASES} clusters that were scaled down`, () => {
  it('come to cost hardly ever more than by the methods of Karpenter, leave no pod without a place, and buy nothing that no move names', {
    timeout: 60 * 60_000,
  }, () => {
    const dearer: number[] = []
    let [before, ours, theirs] = [0, 0, 0]
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const given = scaledDown(seed)
      const oracle = settleByOracle(given)
      const engine = settleByEngine(given)
      const [own, other] = [priceOfAll(engine.snapshot), priceOfAll(oracle.snapshot)]
      if (own > other + ROUNDING) dearer.push(seed)
      before += priceOfAll(given)
      ours += own
      theirs += other
      expect(engine.bought, `seed ${seed}`).toEqual([])
      const homeless = engine.snapshot.objects.pod.filter(({ nodeName }) => nodeName === undefined).map(({ key }) => key)
      expect(homeless, `seed ${seed}`).toEqual([])
    }
    console.log(`${CASES} clusters: oracle ${theirs / before}, engine ${ours / before}; dearer: ${dearer.join(' ')}`)
    expect(dearer.length, dearer.join(' ')).toBeLessThanOrEqual(CASES * MOST_DEARER)
    // The oracle does consolidate: one that does nothing would be no measure.
    expect(theirs).toBeLessThan(0.7 * before)
  })
})
