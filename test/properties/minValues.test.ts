import { describe, expect, it } from 'vitest'
import { LABEL } from '../../shared/model/labels.ts'
import { nodePool } from '../builders/nodePool.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { describeViolation } from '../checker/violation.ts'
import { clusterOf, type Owned, ownedPods, RULES, sizesAt } from './owners.ts'
import { outcomeOf } from './randomCase.ts'

const RISING = sizesAt(1 / 500)
const LIMITS = { cpu: 10_000_000 }
/** The bound on the extra cost: if several sizes must stay, the largest sizes of the catalog cannot be used, which costs little. */
const MOST = 1.02

const WORLDS = [
  { sizes: 1, rule: 'without rules' },
  { sizes: 15, rule: 'spread over zones' },
  { sizes: 15, rule: 'a third spread over zones, some kept apart by host' },
]

/** The price on a pool with these minValues. 0: the pool has none. */
function priceOf(owned: Owned, minValues: number, limits: typeof LIMITS | undefined): number {
  const requirement = { key: LABEL.instanceType, operator: 'Exists', values: [], minValues } as const
  const pool = nodePool({ template: { requirements: minValues === 0 ? [] : [requirement] }, ...(limits && { limits }) })
  const { objects, ...context } = clusterOf(RISING, ownedPods(owned))
  const given = { ...context, objects: { ...objects, nodePool: [pool] } }
  const { decision, refused, price } = outcomeOf(given)
  expect(refused.size).toBe(0)
  expect(violationsOf(given, decision).map(describeViolation)).toEqual([])
  return price
}

describe.each(WORLDS)('pods of $sizes sizes, $rule', ({ sizes, rule }) => {
  const ask = RULES[rule]
  if (ask === undefined) throw new Error(`no rule ${rule}`)
  const owned: Owned = { seed: 99, count: 1000, sizes, owners: 10, rule: ask }
  it.each([1, 6])('cost as much on a pool of which %i sizes must stay, with limits and without', (minValues) => {
    const most = priceOf(owned, 0, undefined) * MOST
    expect(priceOf(owned, minValues, undefined)).toBeLessThan(most)
    expect(priceOf(owned, minValues, LIMITS)).toBeLessThan(most)
  })
})
