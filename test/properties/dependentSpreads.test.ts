import { describe, expect, it } from 'vitest'
import { violationsOf } from '../checker/checkPlan.ts'
import { dependentSpreads, ratioOfKinds, weightedPools } from '../generators/dependentSpreads.ts'
import { mostSpread } from '../oracle/mostSpread.ts'
import { casesOf, seedsOf } from './cases.ts'
import { outcomeOf } from './randomCase.ts'

const SEEDS = seedsOf(casesOf(20))
const DEPLOYMENTS = 2
const PODS = 40

describe('spreads that depend on each other', () => {
  it.each([
    ['without weights', false],
    ['with weights', true],
  ])('refuse no pod that a search of all binding orders places, in pools %s', { timeout: 120_000 }, (_, hasWeights) => {
    const counts = SEEDS.map((seed) => {
      const given = dependentSpreads(seed, { pods: PODS, deployments: DEPLOYMENTS, hasWeights })
      const { decision, placed } = outcomeOf(given)
      const most = Array.from({ length: DEPLOYMENTS }, (__, index) => mostSpread(given, `app-${index}`))
      return { seed, placed: placed.size, want: most.reduce((sum, count) => sum + count, 0), broken: violationsOf(given, decision) }
    })
    expect(counts.filter(({ placed, want, broken }) => placed !== want || broken.length > 0)).toEqual([])
    // The search must have something to find: worlds in which all pods have a place, and worlds in which some cannot.
    expect(new Set(counts.map(({ want }) => want === PODS))).toEqual(new Set([true, false]))
  })

  it('place all pods of a Deployment whose on-demand pool is heavier, at the price without the weight', () => {
    const [heavy, plain] = [10, 0].map((weight) => outcomeOf(weightedPools(300, weight)))
    expect(heavy?.refused.size).toBe(0)
    expect(heavy?.price).toBeLessThanOrEqual(1.01 * (plain?.price ?? 0))
  })

  it('keep a ratio of on-demand and spot at the same price, whichever pool is heavier', () => {
    const [heavy, plain] = [10, 0].map((weight) => outcomeOf(ratioOfKinds(100, weight)).price)
    expect(heavy).toBe(plain)
  })
})
