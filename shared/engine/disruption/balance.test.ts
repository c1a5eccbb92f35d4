import { describe, expect, it } from 'vitest'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import { usdPerHour } from '../../model/units.ts'
import { LEAST_SCORE, scoreOf, unbalanced } from './balance.ts'
import type { CandidateWithCost } from './candidate.ts'

/** Karpenter's worked numbers: dollars a day, and costs to move. */
describe('the score of a move', () => {
  it.each([
    ['BA-01 a large saving for few pods', 7.26, 4, { price: 58.08, cost: 90 }, 2.81],
    ['BA-02', 4.84, 5, { price: 58.08, cost: 90 }, 1.5],
    ['BA-03 a small saving for many', 2.42, 9, { price: 58.08, cost: 90 }, 0.42],
    ['BA-04 no saving', 0, 11, { price: 58.08, cost: 90 }, 0],
    ['BA-05 one of nodes that are all alike', 2.42, 9, { price: 48.4, cost: 90 }, 0.5],
    ['BA-06 of unlike ones', 4.84, 32, { price: 58.08, cost: 117 }, 0.3],
    ['BA-07 of a pool ten times as large', 72.6, 40, { price: 580.8, cost: 900 }, 2.81],
    ['BA-08 nothing is disturbed', 1, 0, { price: 10, cost: 10 }, Number.POSITIVE_INFINITY],
    ['BA-09 nothing is disturbed or saved', 0, 0, { price: 10, cost: 10 }, 0],
    ['BA-10 a pool that costs nothing', 1, 1, { price: 0, cost: 10 }, 0],
  ])('%s', (_sentence, saving, cost, totals, want) => {
    expect(scoreOf(saving, cost, totals)).toBeCloseTo(want, 2)
  })

  it('of a node of a pool of nodes that are all alike is just enough', () => {
    expect(scoreOf(2.42, 9, { price: 48.4, cost: 90 })).toBeGreaterThanOrEqual(LEAST_SCORE - 1e-9)
  })
})

function weighed(
  name: string,
  pool: string,
  price: number,
  cost: number,
  policy: 'Balanced' | 'WhenEmptyOrUnderutilized',
): CandidateWithCost {
  const own = { node: node({ claim: name }), claim: nodeClaim({ name }) }
  return {
    ...own,
    pool:
      POOLS.get(`${pool} ${policy}`) ??
      POOLS.set(`${pool} ${policy}`, nodePool({ name: pool, disruption: { consolidationPolicy: policy } })).get(`${pool} ${policy}`) ??
      nodePool(),
    machine: { name, ...own, pods: [], isInitialized: true, isDeleting: false },
    pods: [],
    cost,
    choice: { size: vmSizeName('s'), zone: zoneName('z'), capacityType: 'on-demand', price: usdPerHour(price) },
  }
}

const POOLS = new Map<string, ReturnType<typeof nodePool>>()
const TOTALS = () => ({ price: 10_000_000, cost: 10 })

describe('a move of several pools', () => {
  it('BS-04 of pools that are not Balanced is made whatever it disturbs', () => {
    expect(unbalanced([weighed('a', 'one', 1, 100, 'WhenEmptyOrUnderutilized')], 1, TOTALS)).toBeUndefined()
  })

  it('BS-07 and BS-08 splits what it saves by what the nodes cost, and one pool that it does not pay for refuses it', () => {
    const move = [weighed('a', 'one', 3, 1, 'Balanced'), weighed('b', 'two', 1, 9, 'Balanced')]
    expect(unbalanced(move, 4_000_000, TOTALS)).toMatchObject({ pool: { name: 'two' }, score: 0.1 / 0.9 })
    expect(unbalanced([weighed('a', 'one', 3, 1, 'Balanced')], 4_000_000, TOTALS)).toBeUndefined()
  })
})
