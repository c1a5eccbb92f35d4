import { describe, expect, it } from 'vitest'
import { scaledDown } from '../generators/scaledDown.ts'
import { settleByOracle } from '../oracle/consolidation/settle.ts'
import { priceOfAll } from '../oracle/consolidation/standing.ts'
import { movedPods, settleByEngine } from './settled.ts'

const CASES = Number(process.env['CONSOLIDATION_SEEDS'] ?? 100)
const FIRST_SEED = Number(process.env['CONSOLIDATION_FIRST_SEED'] ?? 1)
/** The tolerance for rounding of an hourly price, in millionths of a dollar. */
const ROUNDING = 20

/** The largest share of clusters that end dearer than by Karpenter's methods. Measured: 0.9 % of seeds 1-1,000, 1.8 % of 1,001-2,000. Aim: 0.1 %. */
const MOST_DEARER = 0.02

/** The pods that move, as a multiple of those on nodes that are gone in the end. Measured: 1.07 for seeds 1-100, 1.09 for 1-300. Aim: 1.05. */
const MOST_MOVED = 1.1

const MOST_KNOWN = 1_000
/** The dearer clusters of seeds 1 to 1,000, with the cause where it is known. */
const DEARER: ReadonlyMap<number, string> = new Map([
  [55, 'the node that is left may only become one of too few sizes for minValues; the oracle left another one'],
  [297, 'which pods go to which node: a node is left with one pod that needs its memory'],
  [369, 'which pods go to which node: the last node that could be spared finds no room any more'],
  [392, 'pods that would rather be apart are kept apart by one node more'],
  [430, 'not traced: the oracle merges two spot nodes of which the engine spares one'],
  [536, 'minValues: a zone is settled early, and too few sizes are left for the claim in it'],
  [588, 'which of two pods that are alike is moved: the node in its place has no room for a third'],
  [841, 'a spared node leaves another one whose replacement alone the policy Balanced refuses'],
  [938, 'two nodes are spared and one is replaced; the oracle merges all three with a fourth'],
])

describe(`${CASES} clusters that were scaled down`, () => {
  it('come to cost hardly ever more than by the methods of Karpenter, leave no pod without a place, and buy nothing that no move names', {
    timeout: 60 * 60_000,
  }, () => {
    const dearer: number[] = []
    let [before, ours, theirs] = [0, 0, 0]
    let [moved, once] = [0, 0]
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const given = scaledDown(seed)
      const oracle = settleByOracle(given)
      const engine = settleByEngine(given)
      const [own, other] = [priceOfAll(engine.snapshot), priceOfAll(oracle.snapshot)]
      if (own > other + ROUNDING) dearer.push(seed)
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
      `${CASES} clusters: oracle ${theirs / before}, engine ${ours / before}; moved pods ${moved / once}; dearer: ${dearer.join(' ')}`,
    )
    expect(dearer.length, dearer.join(' ')).toBeLessThanOrEqual(CASES * MOST_DEARER)
    expect(dearer.filter((seed) => seed <= MOST_KNOWN && !DEARER.has(seed))).toEqual([])
    expect(moved / once).toBeLessThanOrEqual(MOST_MOVED)
    // Proves that the oracle consolidates. An idle oracle would be no measure.
    expect(theirs).toBeLessThan(0.7 * before)
  })
})
