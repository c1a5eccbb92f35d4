import { describe, expect, it } from 'vitest'
import { scaledDown } from '../generators/scaledDown.ts'
import { bindsAnyhow } from '../oracle/consolidation/bindsAnyhow.ts'
import { settleByOracle } from '../oracle/consolidation/settle.ts'
import { priceOfAll } from '../oracle/consolidation/standing.ts'
import { movedPods, settleByEngine } from './settled.ts'

const CASES = Number(process.env['CONSOLIDATION_SEEDS'] ?? 100)
const FIRST_SEED = Number(process.env['CONSOLIDATION_FIRST_SEED'] ?? 1)
/** The tolerance for rounding of an hourly price, in millionths of a dollar. */
const ROUNDING = 20

/**
 * The largest shares of clusters that end at a higher price than by the oracle. The first oracle has Karpenter's methods. The second oracle carries out a
 * command only if its pods bind in any order, as the engine does. Karpenter does not check this, so a command may leave a pod without a place.
 * Measured for seeds 1 to 3,000: 2.5 % and 0.4 %. Aim: 0.1 %. The engine has the lowest sum of all prices, 2.7 % below the first oracle. Several clusters
 * of the second share keep preferences that the oracle gives up.
 */
const [MOST_DEARER, MOST_DEARER_BOUND] = [0.03, 0.01]

/** The pods that move, as a multiple of those on nodes that are gone in the end. Measured: 1.10 for seeds 1-100, 1.09 for 1-300. Aim: 1.05. */
const MOST_MOVED = 1.1

const MOST_KNOWN = 1_000
/** The clusters among seeds 1 to 1,000 that are dearer in both comparisons, with the cause. */
const DEARER: ReadonlyMap<number, string> = new Map([
  [
    369,
    'a pod gets a new node in a zone that it prefers rather than a place elsewhere, so its node stays; the oracle gives up the preference',
  ],
  [392, 'pods that would rather be apart are kept apart by one node more'],
  [588, 'the next decision places a pod of the move on the new node, where another node would have found room for its own pods'],
])

describe(`${CASES} clusters that were scaled down`, () => {
  it('come to cost hardly ever more than by the methods of Karpenter, leave no pod without a place, and buy nothing that no move names', {
    timeout: 60 * 60_000,
  }, () => {
    const dearer: number[] = []
    const dearerBound: number[] = []
    let [before, ours, theirs] = [0, 0, 0]
    let [moved, once] = [0, 0]
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const given = scaledDown(seed)
      const oracle = settleByOracle(given)
      const engine = settleByEngine(given)
      const [own, other] = [priceOfAll(engine.snapshot), priceOfAll(oracle.snapshot)]
      if (own > other + ROUNDING) {
        dearer.push(seed)
        if (own > priceOfAll(settleByOracle(given, bindsAnyhow).snapshot) + ROUNDING) dearerBound.push(seed)
      }
      const pods = movedPods(given, engine)
      moved += pods.moved
      once += pods.once
      before += priceOfAll(given)
      ours += own
      theirs += other
      expect(engine.bought, `seed ${seed}`).toEqual([])
      const homeless = engine.snapshot.objects.pod.filter(({ nodeName }) => nodeName === undefined).map(({ key }) => key)
      expect(homeless, `seed ${seed}`).toEqual([])
    }
    console.log(
      `${CASES} clusters: oracle ${theirs / before}, engine ${ours / before}; moved pods ${moved / once}; dearer: ${dearer.join(' ')}; of these also with the check: ${dearerBound.join(' ')}`,
    )
    expect(dearer.length, dearer.join(' ')).toBeLessThanOrEqual(CASES * MOST_DEARER)
    expect(dearerBound.length, dearerBound.join(' ')).toBeLessThanOrEqual(CASES * MOST_DEARER_BOUND)
    expect(dearerBound.filter((seed) => seed <= MOST_KNOWN && !DEARER.has(seed))).toEqual([])
    expect(moved / once).toBeLessThanOrEqual(MOST_MOVED)
    // Proves that the oracle consolidates. An idle oracle would be no measure.
    expect(theirs).toBeLessThan(0.7 * before)
  })
})
