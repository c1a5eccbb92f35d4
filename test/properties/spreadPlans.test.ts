import { describe, expect, it } from 'vitest'
import { quantile } from '../../bench/quantiles.ts'
import { outcomeOf } from '../../bench/scheduling/outcome.ts'
import { diversePods } from '../../bench/scheduling/workloads/karpenterPods.ts'
import { WORKLOADS } from '../../bench/scheduling/workloads.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'

const PODS = 300
/** The last two are seeds of which one pod of the packed plan has no place in any order. */
const SEEDS = [...Array.from({ length: 30 }, (_, seed) => seed + 1), 100, 124]

const loaded = WORKLOADS.find(({ name }) => name === 'kb-diverse-500')?.build().loaded

function priceOf(seed: number): number {
  if (loaded === undefined) throw new Error('the workload kb-diverse-500 is missing')
  const snapshot = { ...loaded, objects: { ...loaded.objects, pod: diversePods(PODS, seed) } }
  return outcomeOf(snapshot, decideProvisioning(snapshot)).price
}

describe('many spreads that count the pods of each other', () => {
  it('never lose the packed plan for want of a binding order: no mix of the pods costs a quarter more than the median', () => {
    const prices = SEEDS.map(priceOf)
    const median = quantile(prices, 0.5)
    expect(SEEDS.filter((_, at) => (prices[at] ?? 0) > 1.25 * median)).toEqual([])
  }, 60_000)
})
