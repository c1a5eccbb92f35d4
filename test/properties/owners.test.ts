import { describe, expect, it } from 'vitest'
import { clusterOf, type Owned, ownedPods, RULES, sizesAt } from './owners.ts'
import { outcomeOf } from './randomCase.ts'

const OWNERS = [1, 20, 100]
/** Between the dearest and the cheapest cut. */
const MOST = 1.02

/** Sizes of which each further CPU costs the same, and of which it is dearer. */
const CATALOGS = { even: sizesAt(0), rising: sizesAt(1 / 500) }

type World = Pick<Owned, 'seed' | 'count' | 'sizes'> & { readonly catalog: keyof typeof CATALOGS }

const WORLDS: readonly World[] = [
  { seed: 7919, count: 3000, sizes: 1, catalog: 'rising' },
  { seed: 23757, count: 3000, sizes: 2, catalog: 'even' },
  { seed: 15838, count: 3000, sizes: 5, catalog: 'rising' },
  { seed: 7919, count: 3000, sizes: 5, catalog: 'even' },
  { seed: 31676, count: 3000, sizes: 15, catalog: 'even' },
]

describe.each(Object.keys(RULES))('the price of the same pods, %s', (name) => {
  const rule = RULES[name]
  if (rule === undefined) throw new Error(`no rule ${name}`)
  it.each(WORLDS)('does not depend on how they are cut into Deployments: $sizes sizes of pods, $catalog prices, seed $seed', (world) => {
    const prices = OWNERS.map((owners) => {
      const { refused, price } = outcomeOf(clusterOf(CATALOGS[world.catalog], ownedPods({ ...world, owners, rule })))
      expect(refused.size).toBe(0)
      return price
    })
    expect(Math.max(...prices) / Math.min(...prices), prices.join(' ')).toBeLessThan(MOST)
  })
})
